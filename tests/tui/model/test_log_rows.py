from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, set_cell_size

from eaas_tui.model.log_rows import Row, cuts, last, moved, rows_from, settled

HEIGHTS = st.lists(st.integers(1, 4), min_size=1, max_size=8)


def every_row(heights: list[int]) -> list[Row]:
    return [Row(line, part) for line, height in enumerate(heights) for part in range(height)]


@given(HEIGHTS, st.integers(0, 40), st.integers(-40, 40))
def test_moving_goes_row_by_row_and_stops_at_both_ends(
    heights: list[int], start: int, by: int
) -> None:
    rows = every_row(heights)
    start %= len(rows)

    found = moved(rows[start], by, len(heights), heights.__getitem__)

    assert found == rows[max(0, min(len(rows) - 1, start + by))]


@given(HEIGHTS, st.integers(0, 40), st.integers(1, 20))
def test_a_screen_shows_the_rows_one_after_the_other(
    heights: list[int], start: int, height: int
) -> None:
    rows = every_row(heights)
    start %= len(rows)

    top = settled(rows[start], height, len(heights), heights.__getitem__)
    shown = list(rows_from(top, height, len(heights), heights.__getitem__))

    begin = min(start, max(0, len(rows) - height))
    assert shown == rows[begin : begin + height]


@given(st.text(alphabet="ab训练 ", max_size=40), st.integers(2, 9))
def test_rows_are_as_wide_as_the_screen_and_lose_nothing(text: str, width: int) -> None:
    edges = [0, *cuts(text, width), cell_len(text)]

    parts = [
        set_cell_size(text, stop)[len(set_cell_size(text, begin)) :]
        for begin, stop in pairwise(edges)
    ]

    assert "".join(parts) == text
    assert all(cell_len(part) <= width for part in parts)
    assert all(cell_len(part) >= width - 1 for part in parts[:-1])


def test_an_empty_log_has_one_place_to_be() -> None:
    assert moved(Row(3), -1, 0, lambda _: 1) == Row(0)
    assert last(0, lambda _: 1) == Row(0)
    assert list(rows_from(Row(0), 5, 0, lambda _: 1)) == []
    assert cuts("abc", 0) == []
