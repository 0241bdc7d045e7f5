"""Finding text in a log of any size, in either direction, in bounded memory."""

import re
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

CHUNK_BYTES: Final = 256 * 1024
BEFORE_BYTES: Final = 200
"""How much of the line before the match is shown at most."""
SHOWN_BYTES: Final = 600
COUNTED_BYTES: Final = 64 << 20
"""Lines are counted so far from the nearest known one; further on they have no number."""
SAMPLE_BYTES: Final = 2048
SAMPLE_SHARE: Final = 100
"""A character is rare if fewer than one in so many are it."""

ReadAt = Callable[[int, int], bytes]
"""(offset, length) -> the log's bytes there, fewer only at its end."""
Find = Callable[[bytes], Callable[[int], int]]
"""Prepares a chunk; then: where the next match at or after a position begins, -1 for none."""


class LogMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A line that has the text; its first match."""

    offset: int
    """Where the match begins, in bytes of the stream."""
    line: int | None
    """1-based; None so far into the log that nobody counted."""
    text: str
    """The line, or the part around the match; bytes that are no text are replaced."""


class After(NamedTuple):
    """Where to search on: behind this byte."""

    offset: int
    line: int | None = None
    """The number of the line that the byte behind it is in, if anybody knows."""


class Found(NamedTuple):
    """Matches in the log's order."""

    matches: tuple[LogMatch, ...]
    next: After | None = None
    """Where to search on; None when all was looked at."""


class Search:
    """Goes through a log once, chunk by chunk, noting the first match of each line."""

    def __init__(self, read_at: ReadAt, words: "Words", after: After | None, limit: int) -> None:
        self._read_at = read_at
        self._words = words
        self._limit = limit
        self._begin = 0 if after is None else after.offset + 1
        self._line = 1 if after is None else after.line
        self._in_matched_line = False
        self._matches: list[LogMatch] = []

    def run(self, stop: threading.Event) -> Found:
        """Return the matches; give up early when ``stop`` is set."""
        if self._line is None and self._begin <= COUNTED_BYTES:
            self._line = 1 + newlines(self._read_at, 0, self._begin)
        base = self._begin
        while not stop.is_set():
            window = self._read_at(base, CHUNK_BYTES + self._words.overlap)
            is_last = len(window) <= CHUNK_BYTES
            resume = self._look_at(window, base, len(window) if is_last else CHUNK_BYTES)
            if resume is not None:
                return Found(tuple(self._matches), resume)
            if is_last:
                break
            base += CHUNK_BYTES
            if base - self._begin > COUNTED_BYTES:
                self._line = None
        return Found(tuple(self._matches))

    def _look_at(self, window: bytes, base: int, own: int) -> After | None:
        """Note the matches that begin in the window's own part, and look into what overlaps.

        Returns where to search on once there are enough: behind the last match's line.
        """
        counted = start = 0
        if self._in_matched_line:
            start = self._next_line(window, 0, own)
        find = self._words.find(window)
        while start < own:
            if len(self._matches) == self._limit:
                self._count(window, counted, start)
                return After(base + start - 1, self._line)
            at = find(start)
            if not 0 <= at < own:
                break
            self._count(window, counted, at)
            counted = at
            self._matches.append(match_at(self._read_at, base + at, self._line))
            start = self._next_line(window, at, own)
        self._count(window, counted, own)
        return None

    def _count(self, window: bytes, begin: int, end: int) -> None:
        if self._line is not None:
            self._line += window.count(b"\n", begin, end)

    def _next_line(self, window: bytes, at: int, own: int) -> int:
        """Return where the next line begins; the matched one may go on in the next chunk."""
        newline = window.find(b"\n", at, own)
        self._in_matched_line = newline < 0
        return own if newline < 0 else newline + 1


class SearchBack:
    """Goes back through a log, chunk by chunk, noting the first match of each line."""

    def __init__(self, read_at: ReadAt, words: "Words", before: int, limit: int) -> None:
        self._read_at = read_at
        self._words = words
        self._before = before
        self._limit = limit
        self._found: list[int] = []
        self._is_open = False
        """The first one's line begins before what was looked at: it may have an earlier match."""

    def run(self, stop: threading.Event) -> Found:
        """Return the last matches that begin before ``before``; give up early on ``stop``."""
        end = self._before
        while end > 0 and self._lacks_some() and not stop.is_set():
            begin = max(0, end - CHUNK_BYTES)
            window = self._read_at(begin, end - begin + self._words.overlap)
            self._look_at(window, begin, min(end - begin, len(window)))
            end = begin
        return Found(tuple(self._described(self._found[-self._limit :])))

    def _lacks_some(self) -> bool:
        count = len(self._found)
        return count < self._limit or (count == self._limit and self._is_open)

    def _look_at(self, window: bytes, base: int, own: int) -> None:
        firsts = self._first_of_lines(window, own)
        if not firsts:
            self._is_open = self._is_open and window.find(b"\n", 0, own) < 0
            return
        if self._is_open and window.find(b"\n", firsts[-1], own) < 0:
            del self._found[0]
        self._is_open = window.find(b"\n", 0, firsts[0]) < 0
        self._found[:0] = [base + at for at in firsts]

    def _first_of_lines(self, window: bytes, own: int) -> list[int]:
        find = self._words.find(window)
        firsts: list[int] = []
        start = 0
        while start < own and 0 <= (at := find(start)) < own:
            firsts.append(at)
            newline = window.find(b"\n", at, own)
            start = own if newline < 0 else newline + 1
        return firsts

    def _described(self, offsets: list[int]) -> list[LogMatch]:
        is_counted = bool(offsets) and offsets[-1] <= COUNTED_BYTES
        line, counted = 1, 0
        matches: list[LogMatch] = []
        for offset in offsets:
            if is_counted:
                line += newlines(self._read_at, counted, offset)
                counted = offset
            matches.append(match_at(self._read_at, offset, line if is_counted else None))
        return matches


class Words(NamedTuple):
    """What is searched for."""

    find: Find
    overlap: int
    """How many bytes behind a chunk may belong to a match that begins in it."""


def search(
    read_at: ReadAt,
    query: str,
    *,
    limit: int,
    after: After | None = None,
    exact_case: bool = False,
    stop: threading.Event | None = None,
) -> Found:
    """Return the first ``limit`` lines that have the text in them; an empty text is in none."""
    if not query:
        return Found(())
    words = words_of(query, exact_case=exact_case)
    return Search(read_at, words, after, limit).run(stop or threading.Event())


def search_back(
    read_at: ReadAt,
    query: str,
    *,
    limit: int,
    before: int,
    stop: threading.Event | None = None,
) -> Found:
    """Return the last ``limit`` lines in which the text begins before that byte."""
    if not query:
        return Found(())
    words = words_of(query, exact_case=False)
    return SearchBack(read_at, words, before, limit).run(stop or threading.Event())


def match_at(read_at: ReadAt, offset: int, line: int | None) -> LogMatch:
    """Return the match that begins there, with what stands around it."""
    first = max(0, offset - BEFORE_BYTES)
    around = read_at(first, SHOWN_BYTES)
    before, after = around[: offset - first], around[offset - first :]
    shown = before.rpartition(b"\n")[2] + after.partition(b"\n")[0]
    return LogMatch(offset=offset, line=line, text=shown.decode(errors="replace").rstrip("\r"))


def newlines(read_at: ReadAt, begin: int, end: int) -> int:
    """Return how many lines end between the two bytes."""
    count = 0
    for base in range(begin, end, CHUNK_BYTES):
        count += read_at(base, min(CHUNK_BYTES, end - base)).count(b"\n")
    return count


def words_of(query: str, *, exact_case: bool) -> Words:
    """Return how the text is found."""
    needle = query.encode(errors="surrogateescape")
    return Words(_finder(query, needle, exact_case=exact_case), 4 * len(query))


def _finder(query: str, needle: bytes, *, exact_case: bool) -> Find:
    if exact_case or query.lower() == query.upper():
        return lambda window: lambda start: window.find(needle, start)
    if query.isascii():
        return lambda window: _in_either_case(needle.lower(), window)
    pattern = re.compile(b"".join(map(_either_case, query)))

    def by_pattern(window: bytes) -> Callable[[int], int]:
        def find(start: int) -> int:
            match = pattern.search(window, start)
            return -1 if match is None else match.start()

        return find

    return by_pattern


def _in_either_case(small: bytes, window: bytes) -> Callable[[int], int]:
    """Look where the needle's rarest character stands, if that is rare; else at a lowered copy.

    Looking for one byte is a hundred times as fast as lowering them all.
    """
    sample = window[:SAMPLE_BYTES].lower()
    count, place = min((sample.count(char), place) for place, char in enumerate(small))
    if count * SAMPLE_SHARE > len(sample):
        lowered = window.lower()
        return lambda start: lowered.find(small, start)
    char = small[place : place + 1]
    forms = sorted({char, char.upper()})

    def find(start: int) -> int:
        places = {form: window.find(form, start + place) for form in forms}
        while ahead := [(at, form) for form, at in places.items() if at >= 0]:
            at, form = min(ahead)
            begin = at - place
            if window[begin : begin + len(small)].lower() == small:
                return begin
            places[form] = window.find(form, at + 1)
        return -1

    return find


def _either_case(character: str) -> bytes:
    forms = sorted({character, character.lower(), character.upper()})
    encoded = (re.escape(form.encode(errors="surrogateescape")) for form in forms)
    return b"(?:" + b"|".join(encoded) + b")"
