"""Who gets how many cells, and what goes when the list is narrow."""

from rich.cells import cell_len

from eaas_tui.model.columns import Cell, Column, Row, fit, padded, tone_of

COLUMNS = (
    Column(key="id", title="ID", width=6),
    Column(key="name", title="NAME", width=20, min_width=10, flex=1),
    Column(key="queue", title="QUEUE", width=10, rank=2),
    Column(key="why", title="WHY", width=20, min_width=8, flex=3, rank=1),
)


def widths(cells: int) -> dict[str, int]:
    return {COLUMNS[index].key: width for index, width in fit(COLUMNS, cells)}


def test_with_room_every_column_has_its_width_and_the_rest_is_shared_out() -> None:
    assert widths(79) == {"id": 6, "name": 25, "queue": 10, "why": 35}


def test_columns_shrink_to_their_least_before_one_is_dropped() -> None:
    assert widths(37) == {"id": 6, "name": 10, "queue": 10, "why": 8}


def test_the_highest_rank_is_dropped_first_and_rank_0_stays() -> None:
    assert list(widths(36)) == ["id", "name", "why"]
    assert list(widths(25)) == ["id", "name"]
    assert widths(3) == {"id": 6, "name": 10}


def test_a_column_is_never_wider_in_sum_than_the_list() -> None:
    for cells in range(17, 200):
        shown = widths(cells)
        assert sum(shown.values()) + len(shown) - 1 <= cells


def test_text_is_padded_and_cut_by_cells_not_by_characters() -> None:
    assert padded("训练", 6) == "训练  "
    assert padded("训练", 6, to_right=True) == "  训练"
    assert padded("训练多模态", 6) == "训练 ~"
    assert cell_len(padded("训练多模态", 7)) == 7
    assert padded("abc", 0) == ""


def test_a_cell_speaks_in_its_own_tone_or_in_its_rows() -> None:
    row = Row((Cell("a", "bad"), Cell("b"), "c"), tone="muted")

    assert [tone_of(cell, row) for cell in row.cells] == ["bad", "muted", "muted"]
