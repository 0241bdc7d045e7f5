"""The bottom line: the keys that work now, most used first; a narrow line leaves out the last."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.reactive import var
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.keys import Key, Needs, footer_keys

MOST: Final = 10
"""More keys than this are read by nobody."""


class Place(msgspec.Struct, frozen=True):
    """A key and the columns it stands in."""

    key: Key
    start: int
    end: int


def placed(keys: Sequence[Key], width: int) -> list[Place]:
    """Return where the keys stand; those that don't fit are left out from the right."""
    places: list[Place] = []
    x = 1
    for key in keys[:MOST]:
        end = x + cell_len(f"{key.label} {key.short}")
        if end > width:
            break
        places.append(Place(key, x, end))
        x = end + 2
    return places


class KeyBar(Widget):
    """One line under every screen. A click is the key."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; color: $foreground; }
    KeyBar > .key-bar--key { text-style: bold; color: $primary; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-bar--key"}

    may: var[frozenset[Needs]] = var(frozenset[Needs]({"look", "act", "admin"}))
    """What this person may do: what they may not is not offered."""

    tab: var[str] = var("")
    """The open tab of a screen that has some."""

    def __init__(self, view: str | None = None) -> None:
        """``view`` is the name of a view; without one it is the screen's own."""
        super().__init__()
        self._view: Final = view

    def on_mount(self) -> None:
        """Follow what the person may do."""
        if hasattr(self.app, "may"):
            self.watch(self.app, "may", self._follow)

    def _follow(self, may: frozenset[Needs]) -> None:
        self.may = may

    def watch_may(self) -> None:
        """Offer other keys."""
        self.refresh()

    def watch_tab(self) -> None:
        """Offer the keys of another tab."""
        self.refresh()

    @property
    def view(self) -> str:
        """The view whose keys are shown."""
        return self._view or str(getattr(self.screen, "view_name", ""))

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        style = self.get_component_rich_style("key-bar--key")
        segments: list[Segment] = []
        x = 0
        for place in self._places():
            blank = Segment(" " * (place.start - x), self.rich_style)
            word = Segment(f" {place.key.short}", self.rich_style)
            segments += [blank, Segment(place.key.label, style), word]
            x = place.end
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    async def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        for place in self._places():
            if place.start <= event.x < place.end:
                self.app.simulate_key(place.key.keys[0])

    def _places(self) -> list[Place]:
        return placed(footer_keys(self.view, may=self.may, tab=self.tab), self.size.width)
