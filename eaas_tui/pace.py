"""How often live data is drawn: ten times a second, and more rarely when the terminal is slow."""

from typing import Final

STEPS_S: Final = (0.1, 1.0, 2.0, 5.0)
"""What passes between two draws at least; the first while the terminal keeps up."""
GATHERED_S: Final = 0.05
"""What comes within this time is drawn together: the nodes' readings come as one burst."""
CALM_DRAWS: Final = 5
"""So many draws in a row must find the terminal idle before it is tried faster again."""


class Pace:
    """Decides when the next picture is due. Knows no clock: the times come in.

    The output waits in a queue that blocks the whole program once it is full, so a live picture
    is never added to output that waits. What a key paints does not come past here.
    """

    def __init__(self, *, slow: bool = False) -> None:
        self._lowest: Final = len(STEPS_S) - 1 if slow else 0
        self._step = self._lowest
        self._calm = 0
        self._drawn_at = float("-inf")

    @property
    def interval_s(self) -> float:
        """What passes between two draws now."""
        return STEPS_S[self._step]

    def wait_s(self, now: float) -> float:
        """Return how long from now a new picture has to wait for what comes with it."""
        return max(GATHERED_S, self._drawn_at + self.interval_s - now)

    def drawn(self, now: float) -> None:
        """Take note of a draw that found no output waiting."""
        self._drawn_at = now
        self._calm += 1
        if self._calm >= CALM_DRAWS and self._step > self._lowest:
            self._step, self._calm = self._step - 1, 0

    def skipped(self, now: float) -> None:
        """Take note of a draw left out because output still waited."""
        self._drawn_at = now
        self._calm = 0
        self._step = min(self._step + 1, len(STEPS_S) - 1)
