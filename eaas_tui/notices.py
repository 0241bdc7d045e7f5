"""What the console says to a person in a sentence, in as many lines as the terminal has for it."""

from dataclasses import dataclass
from typing import Final

from textual.app import App
from textual.notifications import Notification, Notify

from eaas_tui.actions import Severity
from eaas_tui.model.text_lines import within

WIDEST: Final = 60
FRAME: Final = 3
"""Columns of a notice that are its edge and its margins."""
BESIDE: Final = 2
"""Columns that stay free beside notices, for the bar that scrolls them."""
SHARE: Final = 4
"""A notice takes one line of so many."""


@dataclass
class Notice(Notification):
    """A notice that knows what it is about."""

    about: str = ""


class Notices(App[None]):
    """An app whose notices are cut with a mark where the terminal has no room for the whole."""

    NOTIFICATION_TIMEOUT = 6

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Severity = "information",
        timeout: float | None = None,
        markup: bool = True,
        about: str = "",
    ) -> None:
        """Show a notice for some seconds; it takes the place of the last one about the same.

        Without a word what it is ``about`` only the same sentence is the same.
        """
        about = about or message
        width, height = self.size
        columns, most = min(WIDEST, width - BESIDE) - FRAME, max(1, height // SHARE)
        if len(within(message, columns, most + 1)) > most:
            message = "\n".join(within(message, columns, most))
        for shown in list(self._notifications):
            if isinstance(shown, Notice) and shown.about == about:
                self._unnotify(shown, refresh=False)  # the new one has all of them drawn again
        lasts_s = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self.post_message(
            Notify(Notice(message, title, severity, lasts_s, markup=markup, about=about))
        )

    def say(self, text: str, *, severity: Severity = "warning") -> None:
        """Show a person one sentence."""
        self.notify(text, severity=severity, markup=False)

    def bell(self) -> None:
        """Keep quiet."""
