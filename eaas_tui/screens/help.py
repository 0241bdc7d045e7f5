"""The keys of a screen, searchable. Made from the table of keys, like the bindings themselves."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from eaas_tui.commands import VERBS, usage
from eaas_tui.keys import FORMS, Needs, keys_of
from eaas_tui.model.text_lines import MIN_WIDTH, within

COLUMN: Final = 22
HINT: Final = "type to search; up and down choose; enter or a click does it; esc closes"


class Entry(NamedTuple):
    """One line of the help."""

    press: str
    """What to press or type."""
    does: str
    key: str = ""
    """The key behind it, in Textual's name; empty for what is typed and for lists' own keys."""
    verb: str = ""
    """The command that it is the usage of."""


class HelpScreen(ModalScreen[Entry | None]):
    """A list above the screen it explains; typing searches it, enter or a click does a line."""

    CSS_PATH = "help.tcss"
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False),
        Binding("down", "choose('cursor_down')", show=False, priority=True),
        Binding("up", "choose('cursor_up')", show=False, priority=True),
        Binding("pagedown", "choose('page_down')", show=False, priority=True),
        Binding("pageup", "choose('page_up')", show=False, priority=True),
    ]

    def __init__(self, view: str, *, may: Iterable[Needs]) -> None:
        super().__init__()
        self._entries: Final = entries(view, frozenset(may))
        self._shown: list[Entry] = []

    def compose(self) -> ComposeResult:
        """Compose the field to search in and the list."""
        with Vertical(id="help"):
            yield Input(
                placeholder=HINT,
                id="help-search",
                compact=True,
            )
            yield OptionList(id="help-keys", compact=True)

    def on_mount(self) -> None:
        """Show everything at first."""
        self._show("")

    def on_resize(self) -> None:
        """Say how to search in what room there is; what is left out ends in a mark."""
        search = self.query_one(Input)
        search.placeholder = within(HINT, max(MIN_WIDTH, search.content_size.width - 1), 1)[0]

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what matches."""
        self._show(event.value)

    def acts_on(self, key: str) -> bool:
        """Tell whether the key does a line: no burst of keys may."""
        return key == "enter" and self.query_one(OptionList).highlighted is not None

    def on_input_submitted(self) -> None:
        """Close, and let the chosen line be done, if one is chosen."""
        chosen = self.query_one(OptionList).highlighted
        self.dismiss(None if chosen is None else self._shown[chosen])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close, and let what was clicked be done."""
        self.dismiss(self._shown[event.option_index])

    async def action_choose(self, move: str) -> None:
        """Move in the list while the field keeps the focus; at first to its first line."""
        keys = self.query_one(OptionList)
        if keys.highlighted is None and keys.option_count:
            keys.highlighted = 0
        else:
            await keys.run_action(move)

    def _show(self, words: str) -> None:
        keys = self.query_one(OptionList)
        self._shown = matching(self._entries, words)
        keys.clear_options()
        keys.add_options(Option(Content(f"{it.press:<{COLUMN}} {it.does}")) for it in self._shown)
        keys.highlighted = 0 if words.strip() and self._shown else None


HEAD: Final = (
    Entry("GPU 3/8 held", "top line: of 8 cards jobs hold 3; free ones are counted at each pool"),
    Entry("FAIL 2", "top line: jobs failed since this console began"),
)
"""What the counts of the top line count."""
NODE_SIGNS: Final = (
    Entry("!", "before a node: offline, or something is wrong with it"),
    Entry("=  drn", "a node that drains: it takes no new jobs"),
    Entry("-", "before a node: it is in no pool"),
    Entry("^  old", "a node that needs an upgrade"),
)
"""What stands before a node's name, or where its state has no room."""


def entries(view: str, may: frozenset[Needs]) -> list[Entry]:
    """Return what can be pressed and typed on a view, its own keys first."""
    pressed = [
        Entry(key.labels, key.words, key.keys[0] if key.action else "")
        for key in keys_of(view)
        if key.needs in may
    ]
    said = () if view in FORMS else VERBS
    typed = [Entry(usage(verb), verb.words, verb=verb.name) for verb in said if verb.needs in may]
    signs = NODE_SIGNS if view == "overview" else ()
    return [*pressed, *(() if view in FORMS else HEAD), *signs, *typed]


def matching(found: Sequence[Entry], words: str) -> list[Entry]:
    """Return the entries that have every word in them; what is typed as a key comes first."""
    wanted = words.lower().split()
    having = [
        entry
        for entry in found
        if all(word in f"{entry.press} {entry.does}".lower() for word in wanted)
    ]
    return sorted(having, key=lambda entry: words not in entry.press.split())
