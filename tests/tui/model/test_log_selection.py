from eaas_tui.model.log_selection import END_CELL, Selection, Spot


def test_a_selection_covers_the_rest_of_its_first_line_and_the_begin_of_its_last() -> None:
    selection = Selection(anchor=Spot(20, 3), cursor=Spot(0, 5))

    assert selection.cells_of(0) == (5, END_CELL)
    assert selection.cells_of(10) == (0, END_CELL)
    assert selection.cells_of(20) == (0, 4)
    assert selection.cells_of(30) is None


def test_drawn_by_keys_it_covers_whole_lines() -> None:
    selection = Selection(anchor=Spot(10, 0), cursor=Spot(10, 0), is_by_lines=True)

    assert selection.cells_of(10) == (0, END_CELL)
    assert selection.drawn_to(Spot(0, 0)).cells_of(0) == (0, END_CELL)


def test_a_press_without_a_move_selects_nothing() -> None:
    selection = Selection(anchor=Spot(10, 4), cursor=Spot(10, 4))

    assert selection.is_nothing
    assert selection.cells_of(10) is None
