from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from eaas.cli.log_printer import LogText, Part, TimedLines
from eaas.client.logs import LogSlice
from eaas.safe_text import safe_log
from eaas.views import LogTimeView

WORDS = st.sampled_from(
    [
        "a",
        "é",
        "名",
        "\n",
        "\r\n",
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[2J",
        "\x9b1m",
        "\u202e",
        "\x1b]0;t\x07",
    ]
)


@given(st.lists(WORDS, max_size=20).map("".join), st.lists(st.integers(1, 5), max_size=40))
def test_pieces_make_the_same_text_wherever_they_are_cut(text: str, sizes: list[int]) -> None:
    data = text.encode()
    shown, whole = LogText(), ""
    for size in [*sizes, len(data)]:
        whole += shown.add(data[:size])
        data = data[size:]
    whole += shown.end()

    assert whole == safe_log(text)


def test_half_a_character_at_the_end_is_shown_as_broken() -> None:
    text = LogText()

    assert text.add(b"a\xc3") + text.end() == "a\ufffd"


NINE, TEN = "2026-12-01T03:42:09.000Z", "2026-12-01T03:42:10.000Z"
Told = list[Part]


def told(*pieces: tuple[bytes, Sequence[tuple[int, str | None]]]) -> Told:
    """Return the parts of pieces that follow each other."""
    lines, offset, parts = TimedLines(), 0, Told()
    for data, times in pieces:
        end = offset + len(data)
        piece = LogSlice(attempt=1, data=data, offset=offset, next=end, size=end, complete=False)
        views = [LogTimeView(offset=begin, at=at) for begin, at in times]
        parts += lines.parts(piece, views)
        offset = end
    return parts


def test_each_line_has_the_time_of_its_first_byte() -> None:
    assert told((b"a\nbb\n\nc\n", [(0, None), (2, NINE), (6, TEN)])) == [
        (0, b"a\n", None, True),
        (2, b"bb\n", NINE, True),
        (5, b"\n", NINE, True),
        (6, b"c\n", TEN, True),
    ]


def test_a_line_that_goes_on_in_the_next_piece_begins_once_and_keeps_its_time() -> None:
    assert told((b"10%\r", [(0, NINE)]), (b"20%\r", [(4, TEN)]), (b"\nend", [(8, TEN)])) == [
        (0, b"10%\r", NINE, True),
        (4, b"20%\r", NINE, False),
        (8, b"\n", NINE, False),
        (9, b"end", TEN, True),
    ]
