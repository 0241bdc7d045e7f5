"""In which order two streams arrived, so that they can be read as one.

A mark is written only when the stream changes: how long both were at that moment. Between two marks
only one of them grew. Should both have grown, because a mark was lost with the machine's power,
stdout comes first; either way every byte has exactly one place.
"""

import os
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, overload

MARK: Final = struct.Struct("<QQ")


class Place(NamedTuple):
    """A place in both streams at once, in bytes."""

    stdout: int
    stderr: int


START: Final = Place(0, 0)


class Marks(Sequence[Place]):
    """The marks of a file, read where they are asked for; ascending."""

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
        if isinstance(index, int):
            if not 0 <= index < self._count:
                raise IndexError(index)
            raw = os.pread(self._handle, MARK.size, index * MARK.size)
            return Place(*MARK.unpack(raw))
        first, last, _ = index.indices(self._count)
        raw = os.pread(self._handle, max(0, last - first) * MARK.size, first * MARK.size)
        return [Place(*pair) for pair in MARK.iter_unpack(raw)]


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
