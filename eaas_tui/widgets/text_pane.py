"""Words with tones in rows of the widget's width: a page that scrolls, or a single line."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.model.columns import Cell
from eaas_tui.model.text_lines import TextLine, broken, fitted, text

BAR = 1
TONES = ("strong", "muted", "good", "busy", "warn", "bad")


class TextPane(Widget, can_focus=True):
    """A page of text. A new text stays where the old one was scrolled to."""

    DEFAULT_CSS = """
    TextPane { height: 1fr; width: 1fr; }
    TextPane > .text-pane--strong { text-style: bold; }
    TextPane > .text-pane--muted { color: $text-muted; }
    TextPane > .text-pane--good { color: $text-success; }
    TextPane > .text-pane--busy { color: $text-primary; }
    TextPane > .text-pane--warn { color: $text-warning; }
    TextPane > .text-pane--bad { color: $text-error; }
    TextPane > .text-pane--thumb { background: $foreground 40%; }
    TextPane > .text-pane--track { background: $foreground 10%; }
    TextPane.-stale { color: $text-muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"text-pane--{part}" for part in (*TONES, "thumb", "track")
    }
    BINDINGS: ClassVar = [
        ("j,down", "move(1)"),
        ("k,up", "move(-1)"),
        ("pagedown,ctrl+d", "page(1)"),
        ("pageup,ctrl+u", "page(-1)"),
        ("g,home", "move(-1000000)"),
        ("G,end", "move(1000000)"),
    ]

    def __init__(self, *, at_end: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.top = 0
        self._at_end = at_end
        self._lines: Sequence[TextLine] = ()
        self._rows: list[tuple[Cell, ...]] = []

    def show(self, lines: Sequence[TextLine]) -> None:
        """Show these lines; only rows that say something else are painted."""
        if lines == self._lines:
            return
        was_at_end = self.top >= self._most
        self._lines = lines
        before = self._seen()
        self._rows = broken(lines, self.size.width - BAR)
        self.top = self._most if self._at_end and was_at_end else min(self.top, self._most)
        self._paint(before)

    @property
    def plain(self) -> str:
        """Return what it says."""
        return "\n".join("".join(cell.text for cell in line.cells) for line in self._lines)

    def render_line(self, y: int) -> Strip:
        """Return one row and the scrollbar's cell beside it."""
        place = self.top + y
        cells = self._rows[place] if place < len(self._rows) else ()
        strip = Strip([self._segment(cell) for cell in cells])
        width = max(0, self.size.width - BAR)
        return Strip([*strip.adjust_cell_length(width), self._bar(y)]).apply_style(self.rich_style)

    def on_resize(self, _: events.Resize) -> None:
        """Break the lines at the new width."""
        was_at_end = self._at_end and self.top >= self._most
        self._rows = broken(self._lines, self.size.width - BAR)
        self.top = self._most if was_at_end or self.top > self._most else self.top
        self.refresh()

    def action_move(self, by: int) -> None:
        """Scroll by rows."""
        top = max(0, min(self._most, self.top + by))
        if top != self.top:
            before, self.top = self._seen(), top
            self._paint(before)

    def action_page(self, by: int) -> None:
        """Scroll by screens."""
        self.action_move(by * max(1, self.size.height - 1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.action_move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.action_move(-3)

    @property
    def _most(self) -> int:
        return max(0, len(self._rows) - self.size.height)

    def _seen(self) -> list[object]:
        height = self.size.height
        rows = [*self._rows[self.top : self.top + height], *[()] * height][:height]
        return [(row, self._bar_part(y)) for y, row in enumerate(rows)]

    def _paint(self, before: Sequence[object]) -> None:
        width = self.size.width
        pairs = enumerate(zip(before, self._seen(), strict=True))
        changed = [Region(0, y, width, 1) for y, (was, now) in pairs if was != now]
        if changed:
            self.refresh(*changed)

    def _bar_part(self, y: int) -> str:
        count, height = len(self._rows), self.size.height
        if count <= height or height < 2:
            return ""
        length = max(1, height * height // count)
        first = (height - length) * self.top // (count - height)
        return "thumb" if first <= y < first + length else "track"

    def _bar(self, y: int) -> Segment:
        part = self._bar_part(y)
        if not part:
            return Segment(" ")
        return Segment(" ", self.get_component_rich_style(f"text-pane--{part}"))

    def _segment(self, cell: Cell) -> Segment:
        if cell.tone == "plain":
            return Segment(cell.text)
        style = self.get_component_rich_style(f"text-pane--{cell.tone}", partial=True)
        return Segment(cell.text, style)


class TextRow(TextPane, can_focus=False):
    """A single line; what is cut off at its end leaves a mark."""

    DEFAULT_CSS = "TextRow { height: 1; }"
    BINDINGS: ClassVar = []

    def say(self, *parts: Cell | str) -> None:
        """Show these words."""
        lines = [text(*parts)]
        if lines != self._lines:
            self.show(lines)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        cells = self._lines[0].cells if self._lines and y == 0 else ()
        strip = Strip([self._segment(cell) for cell in fitted(cells, self.size.width - BAR)])
        return strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)
