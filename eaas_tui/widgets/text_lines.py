"""A few lines of text that change often: painted only where they say something else."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.model.columns import Cell
from eaas_tui.model.text_lines import fitted

Line = Sequence[Cell]


class TextLines(Widget):
    """Shows the lines it is given, cut at its right edge with a mark."""

    DEFAULT_CSS = """
    TextLines { height: 1; width: 1fr; }
    TextLines > .text-lines--strong { text-style: bold; }
    TextLines > .text-lines--muted { color: $text-muted; }
    TextLines > .text-lines--good { color: $text-success; }
    TextLines > .text-lines--busy { color: $text-primary; }
    TextLines > .text-lines--warn { color: $text-warning; }
    TextLines > .text-lines--bad { color: $text-error; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"text-lines--{tone}" for tone in ("strong", "muted", "good", "busy", "warn", "bad")
    }
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines."""
        before, self.lines = self.lines, lines
        count = max(len(before), len(lines))
        changed = [y for y in range(count) if before[y : y + 1] != lines[y : y + 1]]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def text(self) -> str:
        """Return what is shown, as plain text."""
        return "\n".join("".join(cell.text for cell in line) for line in self.lines)

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        line = self.lines[y] if y < len(self.lines) else ()
        segments = [Segment(cell.text, self._style(cell)) for cell in fitted(line, self.size.width)]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _style(self, cell: Cell) -> Style:
        if cell.tone == "plain":
            return self.rich_style
        part = self.get_component_rich_style(f"text-lines--{cell.tone}", partial=True)
        return self.rich_style + part
