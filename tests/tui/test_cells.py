import pytest
from rich.cells import cell_len, split_graphemes
from rich.color import ColorSystem
from rich.style import Style

from eaas_tui.cells import PLAIN, REPLACEMENT, SINGLE, Look, look_of, sgr, signs_of

TRUE = ColorSystem.TRUECOLOR
RED = Look(ink="38;2;255;0;0")


@pytest.mark.parametrize(
    "text",
    [
        "\x1b]0;title\x07",
        "\x1b]52;c;aGk=\x07",
        "\x1b[2J",
        "\x9b6n",
        "\x1bPq\x1b\\",
        "a\tb\r\nc\x7f",
        "\u202eevil\u202c",
        "\ud800",
    ],
)
def test_nothing_that_a_terminal_obeys_gets_into_a_cell(text: str) -> None:
    written = "".join(signs_of(text))

    assert written.isprintable()
    assert REPLACEMENT in written
    written.encode()


def test_a_wide_sign_takes_two_cells_and_an_accent_none() -> None:
    assert signs_of("王e\u0301x") == ("王", "", "e\u0301", "x")


def test_what_bars_and_frames_are_made_of_is_one_cell_each_for_the_terminal_too() -> None:
    shapes = [chr(code) for code in range(0x20, 0x2900) if SINGLE.fullmatch(chr(code))]

    assert {cell_len(shape) for shape in shapes} == {1}
    assert "".join(shapes).isprintable()
    assert len(split_graphemes("".join(shapes))[0]) == len(shapes)


def test_a_family_is_one_sign() -> None:
    family = "👨\u200d👩\u200d👧"

    assert signs_of(family) == (family, "")


def test_a_link_is_no_part_of_a_look() -> None:
    assert look_of(Style(link="http://evil"), TRUE) == PLAIN


def test_colours_become_those_that_the_terminal_has() -> None:
    style = Style(color="#ff0000", bold=True)

    assert look_of(style, TRUE) == Look(1, "38;2;255;0;0")
    assert look_of(style, ColorSystem.EIGHT_BIT) == Look(1, "38;5;196")
    assert look_of(style, ColorSystem.STANDARD) == Look(1, "31")


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        (RED, RED, ""),
        (PLAIN, RED, "\x1b[38;2;255;0;0m"),
        (RED, PLAIN, "\x1b[m"),
        (RED, Look(ink=RED.ink, paper="44"), "\x1b[44m"),
        (Look(ink="31", paper="44"), Look(paper="44"), "\x1b[39m"),
        (Look(1, "31"), Look(0, "31"), "\x1b[22m"),
        (Look(0b1011, RED.ink), Look(0b0010, RED.ink), "\x1b[22;24;2m"),
        (Look(1 << 9, "31"), Look(0, "31"), "\x1b[;31m"),
        (Look(1), Look(0b1001, "31"), "\x1b[4;31m"),
    ],
)
def test_only_what_changes_of_a_look_is_said(before: Look, after: Look, written: str) -> None:
    assert sgr(before, after) == written


def test_on_a_blank_only_the_paper_is_seen_unless_it_is_underlined() -> None:
    assert Look(1, "31", "44").blank == Look(paper="44")
    assert Look(0b1000, "31", "44").blank == Look(0b1000, "31", "44")


def test_the_look_of_a_blank_is_made_once() -> None:
    assert Look(1, "31", "42").blank is Look(2, "33", "42").blank
    assert Look(1, "31", "42").blank == Look(paper="42")
