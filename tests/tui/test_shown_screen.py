import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from eaas_tui.cells import REPLACEMENT
from eaas_tui.shown_screen import ShownScreen

TRUE = ColorSystem.TRUECOLOR


def paint(shown: ShownScreen, *segments: Segment, x: int = 0) -> str:
    return shown.paint([(0, x, Strip(segments))], TRUE)


def test_what_is_shown_already_costs_no_byte() -> None:
    shown = ShownScreen(20, 2)

    assert paint(shown, Segment("hello", Style(color="red"))) != ""
    assert paint(shown, Segment("hello", Style(color="red"))) == ""


def test_one_changed_cell_costs_a_move_and_a_sign() -> None:
    shown = ShownScreen(20, 2)
    paint(shown, Segment("load 41 %"))

    assert paint(shown, Segment("load 42 %")) == "\x1b[1;7H2"


def test_a_short_gap_is_written_again_instead_of_moving() -> None:
    shown = ShownScreen(20, 2)
    paint(shown, Segment("a..b"))

    assert paint(shown, Segment("c..d")) == "\x1b[1;1Hc..d"


def test_a_wide_sign_is_written_once_and_what_follows_stands_behind_it() -> None:
    shown = ShownScreen(20, 2)

    assert paint(shown, Segment("王x")) == "\x1b[1;1H王x"
    assert paint(shown, Segment("a x")) == "\x1b[1;1Ha "


def test_the_cursor_is_placed_anew_after_a_sign_that_terminals_measure_differently() -> None:
    shown = ShownScreen(20, 2)

    assert paint(shown, Segment("e\u0301x")) == "\x1b[1;1He\u0301\x1b[1;2Hx"


def test_nothing_is_written_beyond_the_last_column_and_row() -> None:
    shown = ShownScreen(4, 1)

    assert paint(shown, Segment("abcdefgh")) == "\x1b[1;1Habcd"
    assert shown.paint([(1, 0, Strip([Segment("x")]))], TRUE) == ""


@pytest.mark.parametrize(
    "text", ["\x1b]0;t\x07", "\x1b[2J", "\x9b6n", "\u202eabc", "\x1b]8;;u\x07"]
)
def test_no_control_sequence_and_no_link_gets_out(text: str) -> None:
    shown = ShownScreen(40, 1)

    out = paint(shown, Segment(text, Style(link="http://evil")))

    assert out.startswith("\x1b[1;1H")
    assert out.removeprefix("\x1b[1;1H").isprintable()
    assert REPLACEMENT in out
    assert "evil" not in out


def test_what_is_left_is_written_in_portions_the_longest_left_first() -> None:
    shown = ShownScreen(20, 20)
    rows = [(y, 0, Strip([Segment("x" * 20)])) for y in range(20)]
    shown.leave(rows, TRUE)

    portions = []
    while shown.is_behind:
        portions.append(shown.go_on(100))

    assert len(portions) > 3
    assert max(map(len, portions)) <= 100 + 20
    assert "".join(portions).count("x") == 400
    assert portions[0].startswith("\x1b[1;1H")
    assert shown.paint(rows, TRUE) == ""


def test_what_was_left_and_is_painted_is_written_once_and_as_it_is_now() -> None:
    shown = ShownScreen(20, 2)
    shown.leave([(0, 0, Strip([Segment("load 41 %")]))], TRUE)

    assert paint(shown, Segment("load 42 %")) == "\x1b[1;7H2"
    assert shown.go_on(100) == "\x1b[1;1Hload 42 %"
    assert not shown.is_behind
    assert shown.go_on(100) == ""
