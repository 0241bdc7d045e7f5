from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.logs.order import START, Place, interleave, marks_between, place_at

MARKS = [Place(3, 0), Place(3, 2), Place(5, 2)]
END = Place(5, 9)


def test_a_place_in_both_is_a_place_in_each() -> None:
    places = [place_at(MARKS, END, offset) for offset in (0, 2, 3, 4, 5, 6, 7, 8, 14)]

    assert places == [
        *(Place(0, 0), Place(2, 0), Place(3, 0), Place(3, 1), Place(3, 2)),
        *(Place(4, 2), Place(5, 2), Place(5, 3), Place(5, 9)),
    ]


def test_an_offset_after_the_end_is_the_end() -> None:
    assert place_at(MARKS, END, 99) == END
    assert place_at([], START, 99) == START


def test_where_a_mark_was_lost_stdout_comes_first() -> None:
    both = interleave([], START, Place(2, 3), b"oo", b"eee")

    assert both == b"ooeee"
    assert place_at([], Place(2, 3), 3) == Place(2, 1)


@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12),
    cut=st.tuples(st.integers(0, 40), st.integers(0, 40)),
)
def test_any_part_of_both_is_that_part_of_the_whole_even_with_lost_marks(
    steps: list[tuple[int, int]], cut: tuple[int, int]
) -> None:
    marks, here = [], START
    for stdout, stderr in steps:
        here = Place(here.stdout + stdout, here.stderr + stderr)
        marks.append(here)
    out, err = bytes(range(here.stdout)), bytes(range(100, 100 + here.stderr))
    whole = interleave(marks, START, here, out, err)
    first, last = (place_at(marks, here, offset) for offset in sorted(cut))

    part = interleave(
        marks_between(marks, first, last),
        *(first, last),
        *(out[first.stdout : last.stdout], err[first.stderr : last.stderr]),
    )

    assert part == whole[min(cut) : max(cut)]
    assert sorted(whole) == sorted(out + err)
