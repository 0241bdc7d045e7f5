"""Somebody who hears of every step that the engine has stored."""

from collections.abc import Callable, Sequence

from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect


class Listener:
    """Passes what it hears on to a function."""

    def __init__(self, hear: Callable[[Changes, Sequence[Effect]], object]) -> None:
        self._hear = hear
        self.starts = 0

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        self._hear(changes, effects)

    def start_over(self) -> None:
        """Count how often a step could not be told."""
        self.starts += 1
