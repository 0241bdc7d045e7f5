"""In which order two streams arrived, so that they can be read as one, and when.

A mark says how long both were at a moment, and which moment that was. One is written when the
stream changes, so between two marks only one of them grew, and when the last one is too old to
speak for what comes next. Should both have grown, because a mark was lost with the machine's power,
stdout comes first; either way every byte has exactly one place.

A mark is two numbers of 64 bits. Each has a length in its lower 40 bits and half of the time in its
upper 24: milliseconds since 1970, and zero, as earlier versions left it, when nobody knows.
"""

import os
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, overload

MARK: Final = struct.Struct("<QQ")
_LENGTH_BITS: Final = 40
_HALF_BITS: Final = 24
_LENGTH: Final = (1 << _LENGTH_BITS) - 1
_HALF: Final = (1 << _HALF_BITS) - 1
MOST_MS: Final = (1 << 2 * _HALF_BITS) - 1
"""The latest moment that a mark can name."""


class Place(NamedTuple):
    """A place in both streams at once, in bytes."""

    stdout: int
    stderr: int


START: Final = Place(0, 0)


class Mark(NamedTuple):
    """What came after this place came at this moment or soon after."""

    place: Place
    at_ms: int | None
    """Unix milliseconds; None when nobody knows."""


def packed(mark: Mark) -> bytes:
    """Return the mark as it stands in the file."""
    at_ms = mark.at_ms or 0
    return MARK.pack(
        mark.place.stdout | (at_ms >> _HALF_BITS) << _LENGTH_BITS,
        mark.place.stderr | (at_ms & _HALF) << _LENGTH_BITS,
    )


def _unpacked(stdout: int, stderr: int) -> Mark:
    at_ms = (stdout >> _LENGTH_BITS) << _HALF_BITS | stderr >> _LENGTH_BITS
    return Mark(Place(stdout & _LENGTH, stderr & _LENGTH), at_ms or None)


class Marks(Sequence[Place]):
    """The marks of a file, read where they are asked for; ascending. As a sequence: the places."""

    def __init__(self, handle: int, count: int) -> None:
        self._handle = handle
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Place: ...
    @overload
    def __getitem__(self, index: slice) -> list[Place]: ...
    def __getitem__(self, index: int | slice) -> Place | list[Place]:
        if isinstance(index, slice):
            first, last, _ = index.indices(self._count)
            return [mark.place for mark in self.read(first, last)]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self.read(index, index + 1)[0].place

    def read(self, first: int, last: int) -> list[Mark]:
        """Return the marks of these indices, ``last`` not included, as far as there are any."""
        count = min(last, self._count) - first
        raw = os.pread(self._handle, max(0, count) * MARK.size, first * MARK.size)
        return [_unpacked(*pair) for pair in MARK.iter_unpack(raw)]


def place_at(marks: Sequence[Place], end: Place, offset: int) -> Place:
    """Return where both streams stand once ``offset`` bytes of the two have been read.

    ``end`` is how long the streams are; an offset after the end is the end.
    """
    index = bisect_right(marks, offset, key=sum)
    base = marks[index - 1] if index else START
    bound = marks[index] if index < len(marks) else end
    beyond = min(offset, sum(bound)) - sum(base)
    of_stdout = min(beyond, bound.stdout - base.stdout)
    return Place(base.stdout + of_stdout, base.stderr + beyond - of_stdout)


def marks_between(marks: Sequence[Place], first: Place, last: Place) -> Sequence[Place]:
    """Return the marks that lie between two places."""
    return marks[bisect_right(marks, sum(first), key=sum) : bisect_left(marks, sum(last), key=sum)]


def interleave(
    marks: Iterable[Place], first: Place, last: Place, stdout: bytes, stderr: bytes
) -> bytes:
    """Return both streams' bytes between two places in the order in which they arrived.

    ``stdout`` and ``stderr`` are the streams' own bytes between the places.
    """
    pieces: list[bytes] = []
    here = first
    for mark in (*marks, last):
        pieces.append(stdout[here.stdout - first.stdout : mark.stdout - first.stdout])
        pieces.append(stderr[here.stderr - first.stderr : mark.stderr - first.stderr])
        here = mark
    return b"".join(pieces)
