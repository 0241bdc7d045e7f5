"""When the lines of a log arrived: what was told of a stretch of it, and how it stands there."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date, datetime, tzinfo
from typing import Final

from eaas_tui.model.format import UNKNOWN
from eaas_tui.model.log_pages import Ask

AROUND_BYTES: Final = 16 * 1024
"""So much before and behind what is in sight is asked for with it."""
MOST_MOMENTS: Final = 50_000
CLOCK_CELLS: Final = 8
DAY_CELLS: Final = 6


class LogTimes:
    """The moments of one stretch of a log, in Unix seconds."""

    def __init__(self) -> None:
        self.begin = 0
        self.end = 0
        self.is_dated = False
        """Some line that was seen is not of today, so that days are told as well."""
        self._offsets: list[int] = []
        self._moments: list[float | None] = []

    @property
    def cells(self) -> int:
        """Return how wide the column is, with the blank behind it."""
        return CLOCK_CELLS + 1 + (DAY_CELLS if self.is_dated else 0)

    def lacks(self, begin: int, end: int, held: tuple[int, int]) -> Ask | None:
        """Return what to ask for so that the times of these bytes are known; None if they are.

        ``held`` is what is held of the log: nothing beyond it is asked for, and nothing at all
        for bytes that went out of it, as others will be in sight in a moment.
        """
        if (self.begin <= begin and end <= self.end) or not held[0] <= begin < end <= held[1]:
            return None
        if self.begin <= begin <= self.end:
            first, last = self.end, end + AROUND_BYTES
        else:
            first, last = begin - AROUND_BYTES, end + AROUND_BYTES
        first, last = max(first, held[0]), max(end, min(last, held[1]))
        return Ask(first, last - first)

    def put(self, ask: Ask, told: Iterable[tuple[int, float | None]]) -> None:
        """Take in what was told; if it doesn't go on where the stretch ends it replaces it."""
        moments = list(told)
        if ask.offset != self.end or len(self._offsets) + len(moments) > MOST_MOMENTS:
            self.begin = ask.offset
            self._offsets.clear()
            self._moments.clear()
        self.end = ask.offset + ask.limit
        self._offsets += (offset for offset, _ in moments)
        self._moments += (at for _, at in moments)

    def stamp_rows(
        self, offsets: Sequence[int | None], now: float, zone: tzinfo | None = None
    ) -> list[str]:
        """Return what stands before the lines that begin there; nothing for None or untold.

        The times of day are of that zone, None is the machine's. Once a line was not of the day
        that ``now`` is in, the day stands before the first line in sight and where it changes.
        """
        moments = [self._moment(offset, zone) for offset in offsets]
        today = datetime.fromtimestamp(now, zone).date()
        self.is_dated |= any(isinstance(at, datetime) and at.date() != today for at in moments)
        rows: list[str] = []
        day: date | None = None
        for at in moments:
            is_new = isinstance(at, datetime) and at.date() != day
            day = at.date() if isinstance(at, datetime) else day
            rows.append(_stamp(at, is_new=is_new, is_dated=self.is_dated))
        return rows

    def _moment(self, offset: int | None, zone: tzinfo | None) -> datetime | str:
        """Return the moment, or what stands there for none."""
        if offset is None or not self.begin <= offset < self.end:
            return ""
        index = bisect_right(self._offsets, offset) - 1
        at = self._moments[index] if index >= 0 else None
        return UNKNOWN if at is None else datetime.fromtimestamp(at, zone)


def _stamp(at: datetime | str, *, is_new: bool, is_dated: bool) -> str:
    if isinstance(at, str):
        return at.rjust(CLOCK_CELLS + DAY_CELLS * is_dated) if at else ""
    day = (f"{at:%m-%d} " if is_new else " " * DAY_CELLS) if is_dated else ""
    return f"{day}{at:%H:%M:%S}"
