"""Which screen is behind which name; each is imported when it is first wanted."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from eaas_tui.screens.base import PictureScreen
from eaas_tui.widgets.key_bar import KeyBar
from eaas_tui.widgets.status_bar import StatusBar

PLACES: Final[Mapping[str, str]] = {
    "overview": "eaas_tui.screens.overview:OverviewScreen",
    "jobs": "eaas_tui.screens.jobs:JobsScreen",
    "events": "eaas_tui.screens.events:EventsScreen",
    "bookings": "eaas_tui.screens.bookings:BookingsScreen",
    "job": "eaas_tui.screens.job:JobScreen",
    "node": "eaas_tui.screens.node:NodeScreen",
    "queue": "eaas_tui.screens.queue:QueueScreen",
    "submit": "eaas_tui.screens.submit:SubmitScreen",
}
BASES: Final = ("overview", "jobs", "events", "bookings")
"""Views that are always there; the others open above one of them, about one thing."""


class MissingScreen(PictureScreen):
    """Stands where a view is not in this version, and says so."""

    view_name: ClassVar[str] = "missing"

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name_wanted: Final = name

    def compose(self) -> ComposeResult:
        """Say it in a sentence."""
        name = set_cell_size(self._name_wanted, min(20, len(self._name_wanted)))
        yield StatusBar()
        yield Static(Content(f"The view {name} is not in this version; q goes back."))
        yield KeyBar()


def screen_class(name: str) -> type[Screen[Any]] | None:
    """Return a view's class, or None when this version does not have it."""
    module, _, attribute = PLACES[name].partition(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
    return getattr(found, attribute, None)


def made(name: str, *given: Any, **named: Any) -> Screen[Any]:
    """Return a new screen of a view."""
    kind = screen_class(name)
    return MissingScreen(name) if kind is None else kind(*given, **named)
