"""The names of a screen's tabs in one line, with the keys that choose them."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.message import Message

from eaas_tui.model.columns import Cell
from eaas_tui.widgets.text_pane import TextRow


class TabRow(TextRow):
    """Names the tabs, the chosen one in brackets; a click chooses."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            self.name: Final = name
            super().__init__()

    def __init__(self, names: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.names: Final = names
        self.chosen = names[0]

    def choose(self, name: str) -> None:
        """Show that this tab is the chosen one."""
        self.chosen = name
        self.say(*(self._cell(number, tab) for number, tab in enumerate(self.names, start=1)))

    def on_click(self, event: events.Click) -> None:
        """Tell which tab was clicked."""
        right = 0
        for number, name in enumerate(self.names, start=1):
            right += cell_len(self._cell(number, name).text)
            if event.x < right:
                self.post_message(self.Chosen(name))
                return

    def _cell(self, number: int, name: str) -> Cell:
        if name == self.chosen:
            return Cell(f"[{number} {name}] ", "strong")
        return Cell(f" {number} {name}  ", "muted")
