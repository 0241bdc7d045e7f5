"""An app with one widget, and what its screen says, for tests of a widget alone."""

from typing import Any, TypeVar

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.widget import Widget

from eaas_tui.screens.base import PictureApp

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
