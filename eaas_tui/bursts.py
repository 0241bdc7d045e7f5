"""Tells keys that a person pressed from those that came all at once, as a paste without marks."""

from collections import deque
from typing import Final

BURST_KEYS: Final = 4
BURST_S: Final = 0.05
"""So many keys within this time are no person's; a key that is held down repeats more slowly."""

KEPT: Final = 4096


class Bursts:
    """Remembers when keys came. Knows no clock: the times come in, ascending, in seconds."""

    def __init__(self) -> None:
        self._came: Final[deque[float]] = deque(maxlen=KEPT)

    def came(self, at: float) -> None:
        """Take note of a key."""
        self._came.append(at)

    def holds(self, at: float) -> bool:
        """Tell whether the key that came then was one of a burst, by those known so far."""
        if len(self._came) == KEPT and at < self._came[0]:
            return True
        near = [time for time in self._came if abs(time - at) <= BURST_S]
        runs = zip(near, near[BURST_KEYS - 1 :], strict=False)
        return any(first <= at <= last <= first + BURST_S for first, last in runs)
