"""An app with one widget or one screen, and what is seen of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from eaas.client import Client
from eaas_tui.actions import Actions
from eaas_tui.model.picture import Picture
from eaas_tui.screens.base import PictureApp

NOW: Final = 1_748_772_720.0
"""Twelve minutes after what the built pictures show began."""

WITHIN_S: Final = 20.0

W = TypeVar("W", bound=Widget)


class OneWidget(PictureApp):
    """Shows the widget."""

    CSS = "Screen { layout: vertical; }"

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        """Mount the widget."""
        yield self.widget

    def on_mount(self) -> None:
        """Give it the keys."""
        self.widget.focus()


class OneScreen(PictureApp):
    """Shows the screen; keeps what it wants opened and what a person was told."""

    def __init__(self, shown: Screen[Any], client: Client | None = None) -> None:
        super().__init__()
        self.client = client
        self.opened: list[int | str | None] = []
        self.told: list[str] = []
        self.now = NOW
        self.actions = Actions(
            client=lambda: self.client,
            picture=lambda: self.picture,
            start=self.run_worker,
            notify=self.notify,
        )
        self._shown = shown

    def on_mount(self) -> None:
        """Show the screen."""
        self.push_screen(self._shown)

    def clock(self) -> float:
        """Return the time that the screens go by."""
        return self.now

    def open_job(self, id: int, tab: str = "Overview") -> None:
        """Keep which job is to be opened."""
        self.opened.append(id)

    def open_node(self, name: str | None = None) -> None:
        """Keep which node is to be opened."""
        self.opened.append(name)

    def open_queue(self, ref: str) -> None:
        """Keep which queue is to be opened."""
        self.opened.append(ref)

    def notify(self, message: str, **_: Any) -> None:
        """Keep what a person was told."""
        self.told.append(message)


@asynccontextmanager
async def on_screen(
    shown: Screen[Any],
    picture: Picture,
    *,
    size: tuple[int, int] = (120, 40),
    client: Client | None = None,
) -> AsyncIterator[tuple[OneScreen, Pilot[None]]]:
    """Yield the app with the screen on top and the picture drawn."""
    app = OneScreen(shown, client)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.picture = picture
        await pilot.pause()
        await pilot.pause()
        yield app, pilot


async def until(holds: Callable[[], object], pilot: Pilot[Any]) -> None:
    """Wait for what is to hold, whatever a busy machine does first."""
    async with asyncio.timeout(WITHIN_S):
        while not holds():
            await pilot.pause(0.01)


def lines_of(widget: Widget) -> list[str]:
    """Return what the widget's lines say, without colours."""
    return [widget.render_line(y).text for y in range(widget.size.height)]


def screen_lines(app: App[Any]) -> list[str]:
    """Return every line of the screen that is on top, as a terminal shows it."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return [strip.crop(0, width).text for strip in strips[:height]]


def widths(lines: list[str]) -> set[int]:
    """Return how many terminal cells the lines take."""
    return {cell_len(line) for line in lines}
