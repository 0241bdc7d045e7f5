"""A few lines of text that change now and then."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.model.columns import padded


class Lines(Widget):
    """Shows lines, each cut at the edge with a mark; the first one is bold."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; padding: 0 1; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[str] = ()

    def show(self, lines: Sequence[str]) -> None:
        """Show these lines; the same ones again cost nothing."""
        before, self.lines = self.lines, tuple(lines)
        if len(before) != len(self.lines):
            self.styles.height = max(1, len(self.lines))
        if before != self.lines:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        text = self.lines[y] if y < len(self.lines) else ""
        style = self.rich_style if y else self.rich_style + Style(bold=True)
        width = self.size.width
        return Strip([Segment(padded(text, width), style)]).adjust_cell_length(width, style)
