"""What the console says to a person in a sentence, in as many lines as the terminal has for it."""

from typing import Any, Final

from textual.app import App

from eaas_tui.actions import Severity
from eaas_tui.model.text_lines import within

WIDEST: Final = 60
FRAME: Final = 3
"""Columns of a notice that are its edge and its margins."""
BESIDE: Final = 2
"""Columns that stay free beside notices, for the bar that scrolls them."""
SHARE: Final = 4
"""A notice takes one line of so many."""


class Notices(App[None]):
    """An app whose notices are cut with a mark where the terminal has no room for the whole."""

    NOTIFICATION_TIMEOUT = 6

    def notify(self, message: str, **how: Any) -> None:
        """Show a notice for some seconds."""
        width, height = self.size
        columns, most = min(WIDEST, width - BESIDE) - FRAME, max(1, height // SHARE)
        if len(within(message, columns, most + 1)) > most:
            message = "\n".join(within(message, columns, most))
        super().notify(message, **how)

    def say(self, text: str, *, severity: Severity = "warning") -> None:
        """Show a person one sentence."""
        self.notify(text, severity=severity, markup=False)

    def bell(self) -> None:
        """Keep quiet."""
