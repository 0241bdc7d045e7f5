"""The question for a file's name."""

from collections.abc import Iterable, Sequence
from typing import Final

from textual.widgets import Button, Input

from eaas_tui.screens.confirm import Question


class AskPath(Question[str]):
    """Asks for a path; None is a changed mind."""

    AUTO_FOCUS = "#path"
    DEFAULT_CSS = "AskPath #question #path { width: 60; }"

    def __init__(self, title: str, lines: Sequence[str] = (), *, path: str) -> None:
        super().__init__(title, lines)
        self._path: Final = path

    def fields(self) -> Iterable[Input]:
        """Return the path's field, with a path to begin with."""
        yield Input(self._path, id="path", compact=True, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the path; an empty one is no answer."""
        event.stop()
        self.dismiss(event.value.strip() or None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Close and do nothing."""
        event.stop()
        self.action_give_up()
