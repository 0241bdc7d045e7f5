import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from eaas_tui.widgets.ansi import MAX_BYTES, MAX_CELLS, MAX_RUNS, parse_line, plain_text

RED = Style(color=Color.from_ansi(1))

ESCAPES = [
    b"\x1b]0;evil title\x07",
    b"\x1b]0;evil title\x1b\\",
    b"\x1b]52;c;cm0gLXJmIH4=\x07",
    b"\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
    b"\x1b[2J\x1b[H",
    b"\x1b[6n",
    b"\x1b[?1049h",
    b"\x1b[?1000h",
    b"\x1b[3A\x1b[K",
    b"\x1bP1$r0m\x1b\\",
    b"\x1b_apc\x1b\\",
    b"\x1b^pm\x1b\\",
    b"\x1bXsos\x1b\\",
    b"\x1bc",
    b"\x1b(0",
    b"\x1b#8",
    b"\xc2\x9b2J",
    b"\xc2\x9d52;c;cm0=\xc2\x9c",
    b"\x9b31m",
    b"\x1b",
    b"\x1b[",
    b"\x1b[31",
    b"\x07\x08\x0b\x0c\x0e\x0f\x7f\x00",
    "\u202egnp.exe\u2066\u200f\u2028\ufeff".encode(),
    b"\x1b[38;5;999;1;31;" + b"1;" * 400 + b"m",
    b"\x1b[5;8mblink and hide",
]
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@pytest.mark.parametrize(
    ("raw", "segments"),
    [
        (b"", []),
        (b"plain", [Segment("plain")]),
        ("训练".encode(), [Segment("训练")]),
        (b"a\x1b[31mb\x1b[0mc", [Segment("a"), Segment("b", RED), Segment("c")]),
        (b"\x1b[31mb\x1b[mc", [Segment("b", RED), Segment("c")]),
        (b"\x1b[1;31mb", [Segment("b", RED + Style(bold=True))]),
        (b"\x1b[1m\x1b[22;31mb", [Segment("b", RED)]),
        (b"\x1b[91mb", [Segment("b", Style(color=Color.from_ansi(9)))]),
        (b"\x1b[104mb", [Segment("b", Style(bgcolor=Color.from_ansi(12)))]),
        (b"\x1b[38;5;208mb", [Segment("b", Style(color=Color.from_ansi(208)))]),
        (b"\x1b[38:5:208mb", [Segment("b", Style(color=Color.from_ansi(208)))]),
        (b"\x1b[48;2;1;2;3mb", [Segment("b", Style(bgcolor=Color.from_rgb(1, 2, 3)))]),
        (b"\x1b[38:2::1:2:3mb", [Segment("b", Style(color=Color.from_rgb(1, 2, 3)))]),
        (b"\x1b[38:2:1:2:3mb", [Segment("b", Style(color=Color.from_rgb(1, 2, 3)))]),
        (b"\x1b[38;5;208;1mb", [Segment("b", Style(color=Color.from_ansi(208), bold=True))]),
        (b"\x1b[4:3mb\x1b[4:0mc", [Segment("b", Style(underline=True)), Segment("c", Style())]),
        (b"\x1b[31m\x1b[39mb", [Segment("b", Style())]),
        (b"\x1b[38;5;400mb\x1b[38mc\x1b[77md", [Segment("b"), Segment("c"), Segment("d")]),
        (b"a\tb", [Segment("a       b")]),
        ("训\tb".encode(), [Segment("训      b")]),
        (b"12345678\tb", [Segment("12345678        b")]),
        (b"\x1b[31ma\x1b[0m\tb", [Segment("a", RED), Segment("       b")]),
        (b"windows\r", [Segment("windows")]),
        (b"10%\r20%\r30%", [Segment("30%")]),
        (b"10%\r20%\r", [Segment("20%")]),
        (b"10%\r\x1b[Kdone\r\r", [Segment("done")]),
        (b"\r\r", []),
        (b"\xff", [Segment("\ufffd")]),
    ],
)
def test_a_line_shows_what_a_terminal_would_leave_of_it(
    raw: bytes, segments: list[Segment]
) -> None:
    found = parse_line(raw)

    assert plain_text(found) == plain_text(segments)
    assert [one.style or Style() for one in found] == [one.style or Style() for one in segments]


@pytest.mark.parametrize("escape", ESCAPES)
def test_nothing_but_colours_comes_through(escape: bytes) -> None:
    for raw in (escape, b"before " + escape + b" after", escape * 50, b"\x1b[31m" + escape):
        text = plain_text(parse_line(raw))

        assert not FORBIDDEN.search(text)
        assert all(segment.style is None or not segment.style.link for segment in parse_line(raw))
        assert all(segment.control is None for segment in parse_line(raw))


@given(st.lists(st.one_of(st.binary(max_size=8), st.sampled_from(ESCAPES)), max_size=30))
def test_no_bytes_at_all_become_something_a_terminal_obeys(parts: list[bytes]) -> None:
    raw = b"".join(parts).replace(b"\n", b"")

    assert not FORBIDDEN.search(plain_text(parse_line(raw)))


def test_a_line_without_end_is_cut() -> None:
    for raw in (b"x" * 10_000_000, "训".encode() * 1_000_000, b"\t" * 1_000_000):
        assert cell_len(plain_text(parse_line(raw))) <= MAX_CELLS


def test_a_progress_line_without_end_shows_its_newest_part() -> None:
    bars = b"".join(b"\r%7d it" % count for count in range(100_000))

    assert len(bars) > MAX_BYTES
    assert plain_text(parse_line(bars)) == "  99999 it"


def test_a_line_of_nothing_but_colour_changes_stays_small() -> None:
    segments = parse_line(b"".join(b"\x1b[3%dmx" % (count % 8) for count in range(8000)))

    assert len(segments) <= MAX_RUNS + 1
    assert not FORBIDDEN.search(plain_text(segments))
