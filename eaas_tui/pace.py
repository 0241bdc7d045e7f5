"""How often live data is drawn: ten times a second, more rarely where that takes much, or where
the terminal is slow."""

from typing import Final

STEPS_S: Final = (0.1, 1.0, 2.0, 5.0)
"""What passes between two draws at least; the first while the terminal keeps up."""
GATHERED_S: Final = 0.05
"""What comes within this time is drawn together: the nodes' readings come as one burst."""
SHARE: Final = 0.015
"""What of one core live draws may take on the average: a console stays open all day."""
AT_ONCE_S: Final = 0.1
"""CPU time that draws may take before that counts: what comes after a calm is drawn at once."""
LONGEST_REST_S: Final = 2.0
"""However much a draw takes, the next one comes after this."""
GIVES_WAY: Final = 10
"""So many times a live draw waits for keys, however fast they come."""
NEXT_KEY_S: Final = 0.1
"""Within this time after a key the next one may come: a live draw waits until that is done."""
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
        self._rest_s = 0.0
        self._owed_s = 0.0
        self._owed_at = float("-inf")

    @property
    def interval_s(self) -> float:
        """What passes between two draws now."""
        return max(STEPS_S[self._step], self._rest_s)

    def wait_s(self, now: float) -> float:
        """Return how long from now a new picture has to wait for what comes with it."""
        return max(GATHERED_S, self._drawn_at + self.interval_s - now)

    def put_off_s(self, now: float) -> float:
        """Return how long numbers may wait for those before, which are still being written."""
        return max(0.0, self._drawn_at + LONGEST_REST_S - now)

    def drawn(self, now: float) -> None:
        """Take note of a draw that found no output waiting."""
        self._drawn_at = now
        self._calm += 1
        if self._calm >= CALM_DRAWS and self._step > self._lowest:
            self._step, self._calm = self._step - 1, 0

    def took(self, cpu_s: float, now: float) -> None:
        """Take note of the CPU time that the last draw has taken."""
        self._owed_s = max(0.0, self._owed_s - SHARE * (now - self._owed_at)) + cpu_s
        self._owed_at = now
        self._rest_s = min(max(0.0, self._owed_s - AT_ONCE_S) / SHARE, LONGEST_REST_S)

    def skipped(self, now: float) -> None:
        """Take note of a draw left out because output still waited."""
        self._drawn_at = now
        self._calm = 0
        self._step = min(self._step + 1, len(STEPS_S) - 1)
