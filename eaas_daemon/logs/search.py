"""Finding text in a log of any size, in bounded memory."""

import re
import threading
from collections.abc import Callable
from typing import Final

import msgspec

CHUNK_BYTES: Final = 256 * 1024
BEFORE_BYTES: Final = 200
"""How much of the line before the match is shown at most."""
SHOWN_BYTES: Final = 600

ReadAt = Callable[[int, int], bytes]
"""(offset, length) -> the log's bytes there, fewer only at its end."""
Find = Callable[[bytes], Callable[[int], int]]
"""Prepares a chunk; then: where the next match at or after a position begins, -1 for none."""


class LogMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A line that has the text; its first match."""

    offset: int
    """Where the match begins, in bytes of the stream."""
    line: int
    """1-based."""
    text: str
    """The line, or the part around the match; bytes that are no text are replaced."""


class Search:
    """Goes through a log once, chunk by chunk, noting the first match of each line."""

    def __init__(self, read_at: ReadAt, find: Find, overlap: int, limit: int) -> None:
        self._read_at = read_at
        self._find = find
        self._overlap = overlap
        self._limit = limit
        self._line = 1
        self._in_matched_line = False
        self.matches: list[LogMatch] = []

    def run(self, stop: threading.Event) -> tuple[LogMatch, ...]:
        """Return the matches; give up early when ``stop`` is set."""
        base = 0
        while not stop.is_set() and len(self.matches) < self._limit:
            window = self._read_at(base, CHUNK_BYTES + self._overlap)
            self._look_at(window, base, final=len(window) <= CHUNK_BYTES)
            if len(window) <= CHUNK_BYTES:
                break
            base += CHUNK_BYTES
        return tuple(self.matches)

    def _look_at(self, window: bytes, base: int, *, final: bool) -> None:
        """Note matches that begin in the window's own chunk; what overlaps is only looked into."""
        own = len(window) if final else CHUNK_BYTES
        counted = start = 0
        if self._in_matched_line:
            start = self._next_line(window, 0, own)
        find = self._find(window)
        while start < own and len(self.matches) < self._limit:
            at = find(start)
            if not 0 <= at < own:
                break
            self._line += window.count(b"\n", counted, at)
            counted = at
            self._note(base + at)
            start = self._next_line(window, at, own)
        self._line += window.count(b"\n", counted, own)

    def _next_line(self, window: bytes, at: int, own: int) -> int:
        """Return where the next line begins; the matched one may go on in the next chunk."""
        newline = window.find(b"\n", at, own)
        self._in_matched_line = newline < 0
        return own if newline < 0 else newline + 1

    def _note(self, offset: int) -> None:
        first = max(0, offset - BEFORE_BYTES)
        around = self._read_at(first, SHOWN_BYTES)
        before, after = around[: offset - first], around[offset - first :]
        line = before.rpartition(b"\n")[2] + after.partition(b"\n")[0]
        text = line.decode(errors="replace").rstrip("\r")
        self.matches.append(LogMatch(offset=offset, line=self._line, text=text))


def search(
    read_at: ReadAt,
    query: str,
    *,
    limit: int,
    exact_case: bool = False,
    stop: threading.Event | None = None,
) -> tuple[LogMatch, ...]:
    """Return the first ``limit`` lines that have the text in them; an empty text is in none."""
    needle = query.encode(errors="surrogateescape")
    if not needle:
        return ()
    find = _finder(query, needle, exact_case=exact_case)
    return Search(read_at, find, 4 * len(query), limit).run(stop or threading.Event())


def _finder(query: str, needle: bytes, *, exact_case: bool) -> Find:
    if exact_case:
        return lambda window: lambda start: window.find(needle, start)
    if query.isascii():
        small = needle.lower()

        def in_lower_case(window: bytes) -> Callable[[int], int]:
            lowered = window.lower()
            return lambda start: lowered.find(small, start)

        return in_lower_case
    pattern = re.compile(b"".join(map(_either_case, query)))

    def by_pattern(window: bytes) -> Callable[[int], int]:
        def find(start: int) -> int:
            match = pattern.search(window, start)
            return -1 if match is None else match.start()

        return find

    return by_pattern


def _either_case(character: str) -> bytes:
    forms = sorted({character, character.lower(), character.upper()})
    encoded = (re.escape(form.encode(errors="surrogateescape")) for form in forms)
    return b"(?:" + b"|".join(encoded) + b")"
