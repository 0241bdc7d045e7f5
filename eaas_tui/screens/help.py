"""The keys of a screen, searchable. Made from the table of keys, like the bindings themselves."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from eaas_tui.commands import VERBS, usage
from eaas_tui.keys import Needs, keys_of

COLUMN: Final = 22

Entry = tuple[str, str]
"""What to press or type, and what it does."""


class HelpScreen(ModalScreen[None]):
    """A list above the screen it explains; typing searches it."""

    CSS_PATH = "help.tcss"
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False),
        Binding("down", "scroll(1)", show=False, priority=True),
        Binding("up", "scroll(-1)", show=False, priority=True),
        Binding("pagedown", "scroll(10)", show=False, priority=True),
        Binding("pageup", "scroll(-10)", show=False, priority=True),
    ]

    def __init__(self, view: str, *, may: Iterable[Needs]) -> None:
        super().__init__()
        self._entries: Final = entries(view, frozenset(may))

    def compose(self) -> ComposeResult:
        """Compose the field to search in and the list."""
        with Vertical(id="help"):
            yield Input(placeholder="search; esc closes", id="help-search", compact=True)
            yield OptionList(id="help-keys", compact=True)

    def on_mount(self) -> None:
        """Show everything at first."""
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what matches."""
        self._show(event.value)

    def on_input_submitted(self) -> None:
        """Close."""
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        """Move in the list while the field keeps the focus."""
        keys = self.query_one(OptionList)
        keys.scroll_relative(y=by, animate=False)

    def _show(self, words: str) -> None:
        keys = self.query_one(OptionList)
        keys.clear_options()
        keys.add_options(
            Option(Content(f"{press:<{COLUMN}} {does}"), disabled=False)
            for press, does in matching(self._entries, words)
        )


def entries(view: str, may: frozenset[Needs]) -> list[Entry]:
    """Return what can be pressed and typed on a view, its own keys first."""
    pressed = [(key.labels, key.words) for key in keys_of(view) if key.needs in may]
    typed = [(usage(verb), verb.words) for verb in VERBS if verb.needs in may]
    return [*pressed, *typed]


def matching(found: Sequence[Entry], words: str) -> list[Entry]:
    """Return the entries that have every word in them; what is typed as a key comes first."""
    wanted = words.lower().split()
    having = [entry for entry in found if all(word in " ".join(entry).lower() for word in wanted)]
    return sorted(having, key=lambda entry: words not in entry[0].split())
