"""Where time comes from."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time; a test brings its own."""

    def now(self) -> float:
        """Return Unix seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return Unix seconds."""
        return time.time()
