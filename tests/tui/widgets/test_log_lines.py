from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.log_rows import Row
from eaas_tui.widgets.log_lines import LogLines, overlaid

BOLD = Style(bold=True)
REVERSE = Style(reverse=True)


def some_lines(log: bytes, width: int, *, wrap: bool) -> LogLines:
    pages = LogPages()
    pages.put(0, log)
    lines = LogLines(pages)
    lines.lay_out(width, wrap=wrap)
    return lines


def test_a_line_takes_as_many_rows_as_it_needs() -> None:
    lines = some_lines(b"0123456789\n\nab\n", 4, wrap=True)

    assert [lines.height_of(index) for index in range(3)] == [3, 1, 1]
    assert lines.edges_of(Row(0, 2), 0) == (8, 10)


def test_a_line_that_grows_is_parsed_again() -> None:
    lines = some_lines(b"ab", 10, wrap=False)
    assert lines.parsed(0).text == "ab"

    lines.pages.put(2, b"cd\n")

    assert lines.parsed(0).text == "abcd"


def test_every_place_of_the_words_is_marked_in_any_case_and_after_wide_signs() -> None:
    lines = some_lines("训 Loss loss\n".encode(), 20, wrap=False)
    shown = lines.shown(Row(0), 0, None, "loss")

    strip = lines.strip(shown, selected=REVERSE, hit=BOLD)

    marked = [segment.text for segment in strip if segment.style and segment.style.bold]
    assert marked == ["Loss", "loss"]


def test_a_style_is_laid_over_some_cells_and_no_others() -> None:
    strip = overlaid(Strip([Segment("abcdef")]), 2, 4, BOLD)

    assert [(one.text, bool(one.style and one.style.bold)) for one in strip] == [
        ("ab", False),
        ("cd", True),
        ("ef", False),
    ]
    assert overlaid(strip, 9, 12, REVERSE) is strip


def test_of_a_very_long_line_it_is_said_that_there_is_more() -> None:
    lines = some_lines(b"x" * 100_000 + b"\nshort\n", 100, wrap=False)

    assert lines.parsed(0).strip.text[4096:] == " ... 4,096 cells of a line of 97.7 KiB"
    assert lines.parsed(0).text == "x" * 4096
    assert lines.parsed(1).strip.text == "short"


def test_a_place_in_a_line_is_a_cell_of_it() -> None:
    lines = some_lines("\x1b[31m训练\x1b[0m hit\n10% hit\r20% hit\n".encode(), 80, wrap=False)
    first, second = (lines.pages.start(index) for index in range(2))

    assert lines.cell_at(0, first + len("\x1b[31m训练\x1b[0m ".encode()), "hit") == 5
    assert lines.cell_at(1, second + 4, "hit") == 4


def test_what_is_no_longer_held_is_drawn_as_nothing_and_not_remembered() -> None:
    lines = some_lines(b"0123456789\n", 4, wrap=True)
    shown = lines.shown(Row(0, 2), 0, None, "")
    lines.pages.put(5000, b"other\n")
    assert lines.strip(shown, selected=REVERSE, hit=BOLD).text == ""

    lines.pages.put(0, b"0123456789\n")

    assert lines.strip(shown, selected=REVERSE, hit=BOLD).text == "89"
