from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from eaas_tui.model.columns import Cell
from eaas_tui.model.text_lines import broken, fitted, table, text, within


def words(rows: list[tuple[Cell, ...]]) -> list[str]:
    return ["".join(cell.text for cell in row) for row in rows]


def test_a_long_line_is_broken_between_words_and_goes_on_below_its_value() -> None:
    line = text(Cell("reason  ", "muted"), "too few cards are free here", indent=8)

    assert words(broken([line], 20)) == [
        "reason  too few ",
        "        cards are ",
        "        free here",
    ]


def test_a_word_too_long_for_the_row_comes_in_parts_and_wide_signs_stay_whole() -> None:
    assert words(broken([text("训练训练训练训练训练")], 9)) == ["训练训练", "训练训练", "训练"]


@given(st.text(alphabet="ab训 ", max_size=60), st.integers(8, 30), st.integers(0, 20))
def test_no_row_is_wider_than_the_screen_and_no_word_is_lost(
    line: str, width: int, indent: int
) -> None:
    rows = words(broken([text(line, indent=indent)], width))

    assert all(cell_len(row.rstrip()) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == line.replace(" ", "")


def test_a_table_has_columns_as_wide_as_their_widest_value() -> None:
    lines = table(("NODE", "WHY"), [("训练-a", "full"), (None, "gone")])

    assert words(broken(lines, 40)) == ["NODE    WHY", "训练-a  full", "-       gone"]


def test_a_text_that_does_not_fit_into_its_lines_ends_in_a_mark() -> None:
    said = "6 of 8 nodes fell silent within a minute"

    assert within(said, 24, 2) == ["6 of 8 nodes fell silent", "within a minute"]
    assert within(said, 24, 1) == ["6 of 8 nodes fell silen~"]
    assert within("one\ntwo\nthree", 24, 2) == ["one", "two ~"]


def test_a_row_that_is_cut_ends_in_a_mark_and_one_that_lacks_only_blanks_does_not() -> None:
    row = (Cell("JOBS 3 of 3  ", "strong"), Cell("训练 filter"), Cell("   "))

    assert fitted(row, 24) == row
    assert fitted(row, 16) == [row[0], Cell("训~")]
    assert fitted(row, 13) == [Cell("JOBS 3 of 3 ~", "strong")]
    assert fitted(row, 1) == [Cell("~", "strong")]
