import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.safe_text import safe_log, safe_text
from tests.rig.costs import costing

NASTY = st.text(
    st.sampled_from("ab;[]PX^_0m9 /~\\\x07\x1b\x9b\x9c\x9d\x90\n\r\t\x85\u202e\u200b\ud800\ufeff中")
)

VISIBLE_FORMATS = set(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Number and verse signs that Unicode files under format characters but that can be seen."""


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "plain"),
        ("中文 é ñ", "中文 é ñ"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b[?1049h\x1b[2Jb", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1bP1$r0m\x1b\\b", "ab"),
        ("a\x9d52;c;cm0=\x9cb", "ab"),
        ("a\x1b_apc\x1b\\b", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1b(0b", "ab"),
        ("a\x1b", "a"),
        ("a\x1b[3", "a"),
        ("a\x00\x07\x7fb", "ab"),
        ("pass\u202egnp.exe", "passgnp.exe"),
        ("a\u200b\u200d\u2060\ufeff\u00adb", "ab"),
        ("a\u3164\U000e0041b", "ab"),
        ("a\ud800b", "ab"),
        ("a\nb\r\nc\td\re\u2028f", "a b c d e f"),
    ],
)
def test_one_line_keeps_only_what_can_be_read(text: str, safe: str) -> None:
    assert safe_text(text) == safe


def test_line_ends_stay_where_they_are_wanted() -> None:
    assert safe_text("a\nb\r\nc\td\re", keep_newlines=True) == "a\nb\nc d e"


def test_an_unfinished_escape_string_swallows_no_further_line() -> None:
    assert safe_log("\x1b]0;never closed\nnext line\n") == "\nnext line\n"


def test_a_log_keeps_lines_and_tabs_and_loses_carriage_returns() -> None:
    assert safe_log(b"a\tb\r\n10%\r20%\n\xff\n") == "a\tb\n10% 20%\n\ufffd\n"


def test_a_log_keeps_colours_only_when_asked() -> None:
    log = "\x1b[1;31mred\x1b[38;5;8m grey\x1b[38:2::1:2:3mtrue\x1b[m \x1b[2J\x1b[?1m\x1b[>4;2m"

    assert safe_log(log) == "red greytrue "
    assert safe_log(log, keep_sgr=True) == (
        "\x1b[1;31mred\x1b[38;5;8m grey\x1b[38:2::1:2:3mtrue\x1b[m "
    )


@given(NASTY | st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    left = {c for c in safe_text(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs")}

    assert left <= VISIBLE_FORMATS


@given(NASTY)
def test_what_is_safe_stays_as_it_is(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)
    assert safe_log(safe_log(text, keep_sgr=True)).count("\x1b") == 0


@given(st.binary())
def test_any_bytes_become_text_for_a_terminal(log: bytes) -> None:
    allowed = {"\n", "\t"}

    assert all(c in allowed or unicodedata.category(c) != "Cc" for c in safe_log(log))


def test_a_flood_of_unfinished_escapes_is_read_in_linear_time() -> None:
    log = "\x1b]" * 200_000 + "\x1b[" * 200_000 + "\x1bP" + "x" * 1_000_000

    with costing() as cost:
        safe_log(log, keep_sgr=True)

    assert cost.s < 2.0
