"""A log of any size, seen through a window of it: bytes come by pages, lines go out."""

import re
from array import array
from bisect import bisect_left
from typing import Final, NamedTuple

PAGE_BYTES: Final = 256 * 1024
WINDOW_BYTES: Final = 4 << 20

_NEWLINE: Final = re.compile(b"\n")


class Ask(NamedTuple):
    """A piece of the log to fetch. A negative offset counts from its end."""

    offset: int
    limit: int


TAIL: Final = Ask(-PAGE_BYTES, PAGE_BYTES)
HEAD: Final = Ask(0, PAGE_BYTES)


def around(offset: int) -> Ask:
    """Return what to fetch so that the place is in sight with some lines before it."""
    return Ask(max(0, offset - PAGE_BYTES // 2), PAGE_BYTES)


class LogPages:
    """A window of one log: never more than ``window_bytes`` of it are held.

    Places are byte offsets of the log, so they stay what they are while pages come and go. The
    newlines' offsets are the index. A line that begins before the window is not shown, unless the
    window holds nothing else.
    """

    def __init__(self, window_bytes: int = WINDOW_BYTES) -> None:
        self._window_bytes: Final = window_bytes
        self._data = bytearray()
        self._newlines = array("Q")
        self.begin = 0
        self.size = 0
        """How long the log is by now, as far as was heard."""
        self.complete = False
        """Nothing more will come."""
        self._is_whole = True
        """The window begins where a line does."""
        self._lines_before: int | None = 0
        """Lines that end before the window; None while nobody counted them."""

    # --- what is held

    @property
    def end(self) -> int:
        """Return the offset after the last byte held."""
        return self.begin + len(self._data)

    @property
    def reaches_top(self) -> bool:
        """Tell whether the log's first byte is held."""
        return self.begin == 0

    @property
    def reaches_end(self) -> bool:
        """Tell whether all that was heard of is held up to its end."""
        return self.end >= self.size

    @property
    def count(self) -> int:
        """Return how many lines are held."""
        ended = len(self._newlines) - self._skipped
        return ended + (self._tail_begin < self.end)

    def bytes_between(self, begin: int, end: int) -> bytes:
        """Return the part of the log that is held of these offsets."""
        return bytes(self._data[max(0, begin - self.begin) : max(0, end - self.begin)])

    # --- lines

    def start(self, index: int) -> int:
        """Return where the line begins; its index counts from the first line held."""
        place = index + self._skipped - 1
        return self.begin if place < 0 else self._newlines[place] + 1

    def stop(self, index: int) -> int:
        """Return where the line ends, without its newline."""
        place = index + self._skipped
        return self._newlines[place] if place < len(self._newlines) else self.end

    def line(self, index: int) -> bytes:
        """Return the line's bytes."""
        return self.bytes_between(self.start(index), self.stop(index))

    def index_at(self, offset: int) -> int:
        """Return the line that holds the offset, or the nearest one held."""
        index = bisect_left(self._newlines, offset) - self._skipped
        return max(0, min(index, self.count - 1))

    def number(self, index: int) -> int | None:
        """Return the line's number in the log, from 1; None while nobody counted so far."""
        if self._lines_before is None:
            return None
        return self._lines_before + self._skipped + index + 1

    def line_of(self, offset: int) -> int | None:
        """Return the number of the line that holds the offset; None if nobody knows."""
        if self._lines_before is None or not self.begin <= offset <= self.end:
            return None
        return self._lines_before + bisect_left(self._newlines, offset) + 1

    def count_from(self, offset: int, number: int) -> None:
        """Learn that the line at the offset, which is held, has this number."""
        if self._lines_before is None and self.begin <= offset <= self.end:
            self._lines_before = number - 1 - bisect_left(self._newlines, offset)

    def find(self, words: str, begin: int, *, backwards: bool = False) -> int | None:
        """Return where the text is held next: after ``begin``, or the last before it.

        Upper and lower case are the same, as they are to the controller's search.
        """
        needle, data = words.encode(errors="replace").lower(), self._data.lower()
        place = begin - self.begin
        look = data.rfind if backwards else data.find
        span = (0, max(0, place)) if backwards else (max(0, place), len(data))
        at = look(needle, *span)
        return None if at < 0 or not needle else self.begin + at

    def hits(self, words: str, upto: int) -> tuple[int, int]:
        """Return how many of the lines held have the text, up to the offset and in all."""
        needle, data = words.encode(errors="replace").lower(), self._data.lower()
        before = total = 0
        at = data.find(needle) if needle else -1
        while at >= 0:
            total += 1
            before += self.begin + at <= upto
            line_end = data.find(b"\n", at)
            at = data.find(needle, line_end) if line_end >= 0 else -1
        return before, total

    # --- pages

    def before(self) -> Ask | None:
        """Return the page before the window; None at the log's top."""
        begin = max(0, self.begin - PAGE_BYTES)
        return None if self.reaches_top else Ask(begin, self.begin - begin)

    def after(self) -> Ask | None:
        """Return the page after the window; None at the log's end."""
        return None if self.reaches_end else Ask(self.end, PAGE_BYTES)

    def heard(self, size: int, *, complete: bool) -> None:
        """Learn how long the log is by now."""
        self.size = max(self.size, size)
        self.complete = self.complete or complete

    def put(self, offset: int, data: bytes, *, keep_from: int | None = None) -> None:
        """Take a piece of the log in; one that doesn't touch the window replaces it.

        To make room the far end of the window goes, but nothing at or after ``keep_from`` (where
        somebody reads): then the rest of the piece is left out, or all of it.
        """
        self.size = max(self.size, offset + len(data))
        if offset <= self.end and self.begin <= offset and self._data:
            self._append(data[self.end - offset :], keep_from)
        elif offset < self.begin <= offset + len(data) and self._data:
            self._prepend(offset, data[: self.begin - offset])
        elif keep_from is None or not self.begin <= keep_from <= self.end:
            self._replace(offset, data)

    def _append(self, data: bytes, keep_from: int | None) -> None:
        if not data:
            return
        excess = len(self._data) + len(data) - self._window_bytes
        if excess > 0:
            self._drop_front(excess, keep_from)
            data = data[: max(0, self._window_bytes - len(self._data))]
        self._newlines.extend(_newlines(data, self.end))
        self._data += data

    def _drop_front(self, excess: int, keep_from: int | None) -> None:
        """Drop whole lines if there are any, at least so many bytes if they may go."""
        target = min(self.end, self.begin + excess)
        place = bisect_left(self._newlines, target - 1)
        cut = self._newlines[place] + 1 if place < len(self._newlines) else target
        if keep_from is not None and cut > keep_from:
            cut = max(self.begin, keep_from)
        gone = bisect_left(self._newlines, cut)
        if self._lines_before is not None:
            self._lines_before += gone
        if cut > self.begin:
            self._is_whole = bool(gone) and self._newlines[gone - 1] == cut - 1
        del self._data[: cut - self.begin]
        del self._newlines[:gone]
        self.begin = cut

    def _prepend(self, offset: int, data: bytes) -> None:
        excess = len(self._data) + len(data) - self._window_bytes
        if excess > 0:
            self._drop_back(excess)
        found = array("Q", _newlines(data, offset))
        if self._lines_before is not None:
            self._lines_before -= len(found)
        self._newlines = found + self._newlines
        self._data[:0] = data
        self._begins_at(offset)

    def _drop_back(self, excess: int) -> None:
        cut = max(self.begin, self.end - excess)
        del self._newlines[bisect_left(self._newlines, cut) :]
        del self._data[cut - self.begin :]

    def _replace(self, offset: int, data: bytes) -> None:
        self._data = bytearray(data[: self._window_bytes])
        self._newlines = array("Q", _newlines(self._data, offset))
        self._lines_before = None
        self._begins_at(offset)

    def _begins_at(self, offset: int) -> None:
        self.begin = offset
        self._is_whole = offset == 0
        if offset == 0:
            self._lines_before = 0

    @property
    def _skipped(self) -> int:
        """Return how many newlines stand before the first line shown."""
        has_another = bool(self._newlines) and self._newlines[0] + 1 < self.end
        return 1 if has_another and not self._is_whole else 0

    @property
    def _tail_begin(self) -> int:
        return self._newlines[-1] + 1 if self._newlines else self.begin


def _newlines(data: bytes | bytearray, base: int) -> "array[int]":
    return array("Q", [base + match.start() for match in _NEWLINE.finditer(data)])
