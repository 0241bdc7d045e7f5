import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_tui.model.curve_layout import GAP, LEAST_WIDTH, MOST_ROWS, layout


@pytest.mark.parametrize(
    ("cards", "columns", "plot_rows", "has_own_axes"),
    [(1, 2, 11, True), (2, 2, 5, True), (4, 2, 3, False), (8, 2, 1, False)],
)
def test_eight_cards_are_seen_at_once_on_a_small_terminal(
    cards: int, columns: int, plot_rows: int, has_own_axes: bool
) -> None:
    laid = layout(2 * cards, 78, 18)

    assert (laid.columns, laid.plot_rows) == (columns, plot_rows)
    assert laid.has_own_axes == has_own_axes
    assert laid.width == 38


def test_more_stand_beside_each_other_only_where_they_would_be_too_low_otherwise() -> None:
    assert layout(8, 198, 55).columns == 2
    assert layout(32, 198, 55).columns == 4
    assert layout(2, 198, 55).columns == 2


def test_a_narrow_terminal_has_them_one_under_the_other() -> None:
    assert layout(2, 2 * LEAST_WIDTH + GAP - 1, 40).columns == 1
    assert layout(1, 200, 40).columns == 1


def test_what_fits_in_no_way_is_scrolled() -> None:
    laid = layout(64, 78, 18)

    assert (laid.plot_rows, laid.has_own_axes) == (3, False)


@given(st.integers(0, 80), st.integers(1, 300), st.integers(0, 100))
def test_no_layout_is_wider_than_the_screen_and_every_plot_has_a_row(
    count: int, width: int, height: int
) -> None:
    laid = layout(count, width, height)

    assert laid.columns * laid.width + GAP * (laid.columns - 1) <= width
    assert 1 <= laid.plot_rows <= MOST_ROWS
    assert laid.plot_rows < 3 or laid.plot_rows % 2 == 1
