"""When the bytes of a log arrived: told by ranges, as fine as people read it."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Final, NamedTuple

from eaas_daemon.logs.order import START, Mark, Marks, Place

GRAIN_MS: Final = 100
"""Moments that are closer together than this are told as one."""
MOST_MARKS: Final = 16_384
"""What is looked at for one answer."""

Length = Callable[[Place], int]
"""How long the stream that is asked for is at a place of both."""


class LogTime(NamedTuple):
    """From this byte on, until the next one of these, the log arrived at this moment."""

    offset: int
    at_ms: int | None
    """Unix milliseconds; None when nobody knows."""


class LogTimes(NamedTuple):
    """When a part of a log arrived."""

    times: tuple[LogTime, ...]
    """Ascending; the first one stands at the part's begin."""
    end: int
    """How far they tell it: the part's end, or where to ask on."""
    is_all: bool


def is_due(at_ms: int, marked_ms: int | None) -> bool:
    """Tell whether the last mark's moment no longer speaks for this one."""
    return marked_ms is None or abs(at_ms - marked_ms) >= GRAIN_MS


def times_between(
    marks: Marks, began_ms: int | None, length: Length, begin: int, end: int
) -> LogTimes:
    """Return when the bytes from ``begin`` to ``end`` arrived.

    ``began_ms`` is when the first byte did, unless the first mark says so itself.
    """
    index = max(0, bisect_right(marks, begin, key=length) - 1)
    found = marks.read(index, index + MOST_MARKS)
    is_cut = len(found) == MOST_MARKS and length(found[-1].place) < end
    told_to = length(found[-1].place) if is_cut else end
    if index == 0:
        found.insert(0, Mark(START, began_ms))
    moments = {
        max(begin, length(mark.place)): mark.at_ms
        for mark in found
        if length(mark.place) < max(told_to, begin + 1)
    }
    return LogTimes(tuple(_thinned(moments)), max(told_to, begin), not is_cut)


def _thinned(moments: dict[int, int | None]) -> list[LogTime]:
    kept: list[LogTime] = []
    for offset, at_ms in moments.items():
        last = kept[-1].at_ms if kept else None
        is_same = at_ms == last if at_ms is None or last is None else not is_due(at_ms, last)
        if not kept or not is_same:
            kept.append(LogTime(offset, at_ms))
    return kept
