"""A time of day that does not jump forward: what is old enough to be deleted must really be old."""

import time
from collections.abc import Callable
from typing import Final

JUMP_S: Final = 60.0
"""More than a clock that is put right bit by bit goes off between two looks at it."""
BELIEVED_AFTER_S: Final = 86_400.0
"""A clock that jumped forward is believed when nobody has put it back for so long."""


def since_boot() -> float:
    """Return seconds that go on while the machine sleeps, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class SteadyTime:
    """The clock's time, but behind it for a day after a jump forward."""

    def __init__(self, now: Callable[[], float], passed: Callable[[], float] = since_boot) -> None:
        """``now`` returns Unix seconds, ``passed`` seconds since some moment."""
        self._now = now
        self._passed = passed
        self._at, self._mark = now(), passed()
        self._jumped: float | None = None

    def at(self) -> float:
        """Return Unix seconds; to be called every hour or so."""
        now, passed = self._now(), self._passed()
        expected = self._at + passed - self._mark
        if now > expected + JUMP_S and not self._believed(passed):
            now = expected
        else:
            self._jumped = None
        self._at, self._mark = now, passed
        return now

    def _believed(self, passed: float) -> bool:
        if self._jumped is None:
            self._jumped = passed
        return passed - self._jumped >= BELIEVED_AFTER_S
