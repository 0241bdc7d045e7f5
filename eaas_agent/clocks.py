"""This node's clock beside its controller's."""

from collections.abc import Callable


class Clocks:
    """Compares the two once a connection, with half the round trip taken off.

    From then on it sees by the monotonic clock when this node's own is set.
    """

    def __init__(self, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        """``clock`` gives Unix seconds, ``monotonic`` seconds since whenever."""
        self._clock = clock
        self._monotonic = monotonic
        self._asked_at = 0.0
        self._theirs: float | None = None
        """The controller's time when our monotonic clock was at zero."""

    def asked(self) -> None:
        """Note that the controller is being asked now."""
        self._asked_at = self._monotonic()

    def answered(self, server_time: float) -> None:
        """Take the controller's time from its answer, in Unix seconds."""
        self._theirs = server_time - (self._asked_at + self._monotonic()) / 2

    def ahead_s(self) -> float | None:
        """Return how far this node's clock is ahead; below 0: behind; None before any answer."""
        if self._theirs is None:
            return None
        return round(self._clock() - self._monotonic() - self._theirs, 1)
