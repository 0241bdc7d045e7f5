"""Whether work moves: for how long something has waited without a step being finished."""

import time
from collections.abc import Callable


class Progress:
    """A stopwatch that runs while work waits and begins anew with every finished step."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._since: float | None = None

    def waits(self) -> None:
        """Note that there is something to do."""
        if self._since is None:
            self._since = self._monotonic()

    def moved(self, *, more: bool) -> None:
        """Note that a step is finished, and whether something waits still."""
        self._since = self._monotonic() if more else None

    def idle_s(self) -> float:
        """Return for how many seconds work has waited without a step; 0 with nothing to do."""
        return 0.0 if self._since is None else self._monotonic() - self._since
