"""Single marks, ranges, all that is shown."""

from eaas_tui.model.marks import Marks

KEYS = [10, 20, 30, 40, 50]


def test_a_key_is_marked_and_unmarked() -> None:
    marked = Marks[int]().toggled(20)

    assert marked.keys == {20}
    assert marked.toggled(20).keys == frozenset()


def test_a_range_grows_and_shrinks_with_the_cursor_and_keeps_what_was_marked_before() -> None:
    range_ = Marks(keys=frozenset({50})).begun(20)

    assert range_.drawn_to(40, KEYS).keys == {20, 30, 40, 50}
    assert range_.drawn_to(40, KEYS).drawn_to(30, KEYS).keys == {20, 30, 50}
    assert range_.drawn_to(40, KEYS).drawn_to(10, KEYS).keys == {10, 20, 50}


def test_a_second_v_or_a_space_ends_the_range_and_keeps_it() -> None:
    drawn = Marks[int]().begun(20).drawn_to(40, KEYS)

    for ended in (drawn.begun(40), drawn.toggled(40)):
        assert ended.drawn_to(50, KEYS).keys == {20, 30, 40}


def test_a_range_whose_beginning_is_gone_ends() -> None:
    drawn = Marks[int]().begun(20).drawn_to(30, KEYS)

    assert drawn.drawn_to(50, [30, 40, 50]) == Marks(keys=frozenset({20, 30}))


def test_all_that_is_shown_is_marked_beside_what_is_hidden_and_unmarked_again() -> None:
    marks = Marks(keys=frozenset({99})).with_all(KEYS)

    assert marks.keys == {99, *KEYS}
    assert marks.with_all(KEYS).keys == {99}


def test_what_no_longer_exists_is_forgotten() -> None:
    marks = Marks(keys=frozenset({10, 99}))

    assert marks.retained({10: "still"}).keys == {10}
    assert marks.retained({10, 99}) is marks


def test_marks_are_told_as_listed_then_the_hidden_ones() -> None:
    assert Marks(keys=frozenset({99, 50, 10})).in_order(KEYS) == [10, 50, 99]
