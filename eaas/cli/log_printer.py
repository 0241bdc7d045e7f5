"""Prints pieces of a log: as safe text, with times before its lines, as JSON, or as they are."""

import codecs
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from eaas.cli.output import Output
from eaas.client.logs import LogSlice, Stream
from eaas.safe_text import safe_log
from eaas.views import LogTimeView

_CSI: Final = "[0-?]{0,64}[ -/]{0,8}"
_STRING: Final = "[^\x07\x1b\x9c\n]{0,4096}\x1b?"
_UNFINISHED: Final = re.compile(
    f"(?:\x1b(?:\\[{_CSI}|[\\]PX^_]{_STRING}|[ -/]{{0,8}})|\x9b{_CSI}"
    f"|[\x90\x98\x9d-\x9f]{_STRING}|\r)\\Z"
)
"""The begin of an escape sequence, or half of a line's end, that the next piece goes on with."""

Times = Callable[[LogSlice], Awaitable[Sequence[LogTimeView]]]
"""Brings when the bytes of a piece arrived."""

UNKNOWN: Final = "-"
"""What stands where the time does when nobody knows it."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a log in ``-o json``; bytes that are no UTF-8 became U+FFFD."""

    job: int
    attempt: int
    stream: str
    offset: int
    at: str | None
    """When its line's first byte arrived; None when nobody asked or knows."""
    text: str


class LogText:
    """Turns pieces of bytes into safe text; a character may be cut by a piece's end."""

    def __init__(self) -> None:
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def add(self, data: bytes) -> str:
        """Return what can be shown by now."""
        text = self._held + self._decoder.decode(data)
        cut = found.start() if (found := _UNFINISHED.search(text)) else len(text)
        self._held = text[cut:]
        return safe_log(text[:cut])

    def end(self) -> str:
        """Return what was still held back."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        self._decoder.reset()
        return safe_log(text)


class Part(NamedTuple):
    """A line, or as much of it as one piece has."""

    offset: int
    data: bytes
    at: str | None
    """When the line's first byte arrived, RFC 3339; None when nobody knows."""
    begins: bool
    """Whether the line begins here."""


class TimedLines:
    """Cuts pieces into lines; one that goes on in the next piece keeps its first byte's time."""

    def __init__(self) -> None:
        self._at: str | None = None
        self._is_open = False

    def parts(self, piece: LogSlice, times: Sequence[LogTimeView]) -> Iterator[Part]:
        """Yield the piece line by line."""
        offset, left, at = piece.offset, list(reversed(times)), None
        for line in _lines(piece.data):
            while left and left[-1].offset <= offset:
                at = left.pop().at
            begins = not self._is_open
            if begins:
                self._at = at
            yield Part(offset, line, self._at, begins)
            self._is_open = not line.endswith(b"\n")
            offset += len(line)


class LogPrinter:
    """Prints pieces of one job's log as the command line asked for."""

    def __init__(
        self,
        out: Output,
        id: int,
        stream: Stream,
        *,
        raw: bool = False,
        times: Times | None = None,
    ) -> None:
        """``times``: each line is printed with the time at which it arrived."""
        self._out: Final = out
        self._id: Final = id
        self._stream: Final = stream
        self._raw: Final = raw
        self._times: Final = times
        self._text: Final = LogText()
        self._lines = TimedLines()
        self._attempt = 0
        self._ends_line = True

    async def add(self, piece: LogSlice) -> None:
        """Print one piece."""
        if piece.attempt != self._attempt:
            self.end()
            self._attempt = piece.attempt
        if self._raw:
            self._out.bytes(piece.data)
        elif self._times is None:
            self._add(piece.attempt, Part(piece.offset, piece.data, None, begins=False))
        else:
            for part in self._lines.parts(piece, await self._times(piece)):
                self._add(piece.attempt, part)

    def end(self) -> None:
        """Print what was held back; a person's prompt begins on a line of its own."""
        self._lines = TimedLines()
        if not self._raw and self._out.is_table:
            self._print(self._text.end())
            if not self._ends_line and (self._out.is_terminal or self._times is not None):
                self._print("\n")

    def _add(self, attempt: int, part: Part) -> None:
        if not self._out.is_table:
            self._out.item(self._as_line(attempt, part), lambda: "")
            return
        text = self._text.add(part.data)
        if part.begins:
            text = f"{_seconds(part.at)} {text}"
        self._print(text)

    def _as_line(self, attempt: int, part: Part) -> LogLine:
        return LogLine(
            job=self._id,
            attempt=attempt,
            stream=self._stream,
            offset=part.offset,
            at=part.at,
            text=part.data.decode("utf-8", "replace"),
        )

    def _print(self, text: str) -> None:
        if text:
            self._out.piece(text)
            self._ends_line = text.endswith("\n")


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines with their newlines; a carriage return ends none."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin) + 1 or len(data)
        yield data[begin:end]
        begin = end


def _seconds(at: str | None) -> str:
    """Return the time without what is finer than a second."""
    return UNKNOWN if at is None else f"{at.partition('.')[0].removesuffix('Z')}Z"
