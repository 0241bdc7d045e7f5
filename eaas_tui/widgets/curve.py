"""Curves with axes and units, as many as there are, one under or beside the other."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.columns import padded
from eaas_tui.model.curve_points import Curve, Value, plotted, summary

PLOT_ROWS: Final = 5
CURVE_ROWS: Final = PLOT_ROWS + 3
"""A heading, the plot, the time's axis, and a blank line."""
LEAST_WIDTH: Final = 44
"""Curves stand side by side when each is at least this wide."""
AXIS: Final = 5
"""Cells of the numbers on the left, with their rule."""
GAP: Final = 2


class CurveGrid(Widget, can_focus=True):
    """Draws curves. Scrolls when there are more than the screen holds."""

    DEFAULT_CSS = """
    CurveGrid { height: 1fr; width: 1fr; }
    CurveGrid > .curve--title { text-style: bold; }
    CurveGrid > .curve--axis { color: $text-muted; }
    CurveGrid > .curve--plot { color: $text-primary; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"curve--title", "curve--axis", "curve--plot"}
    BINDINGS: ClassVar = [
        ("j,down", "move(1)"),
        ("k,up", "move(-1)"),
        ("pagedown,ctrl+d", "page(1)"),
        ("pageup,ctrl+u", "page(-1)"),
        ("g,home", "move(-100000)"),
        ("G,end", "move(100000)"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.curves: Sequence[Curve] = ()
        self.glyphs: Glyphs = BLOCKS
        self.empty = ""
        self.top = 0
        self._lines: list[Strip] = []

    def show(self, curves: Sequence[Curve], *, glyphs: Glyphs, empty: str) -> None:
        """Draw these curves, or the sentence when there are none. Equal ones are not redrawn."""
        if (curves, glyphs, empty) != (self.curves, self.glyphs, self.empty):
            self.curves, self.glyphs, self.empty = curves, glyphs, empty
            self._draw()

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        place = self.top + y
        strip = self._lines[place] if place < len(self._lines) else Strip([])
        return strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)

    def on_resize(self, _: events.Resize) -> None:
        """Draw at the new size."""
        self._draw()

    def notify_style_update(self) -> None:
        """Draw in the new colours."""
        super().notify_style_update()
        self._draw()

    def action_move(self, by: int) -> None:
        """Scroll by lines."""
        most = max(0, len(self._lines) - self.size.height)
        top = max(0, min(most, self.top + by))
        if top != self.top:
            self.top = top
            self.refresh()

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

    def _draw(self) -> None:
        if not self.size.width:
            return
        self._lines = self._all_lines() if self.curves else [Strip([self._segment(self.empty)])]
        self.action_move(0)
        self.refresh()

    def _all_lines(self) -> list[Strip]:
        width = self.size.width
        side_by_side = max(1, min(2, (width + GAP) // (LEAST_WIDTH + GAP)))
        each = (width - GAP * (side_by_side - 1)) // side_by_side
        drawn = [self._curve(curve, each) for curve in self.curves]
        lines: list[Strip] = []
        for begin in range(0, len(drawn), side_by_side):
            beside = drawn[begin : begin + side_by_side]
            for parts in zip_longest(*beside, fillvalue=Strip([])):
                gap = Strip([Segment(" " * GAP)])
                cells = [part.adjust_cell_length(each) for part in parts]
                lines.append(Strip.join(_between(cells, gap)))
        return lines

    def _curve(self, curve: Curve, width: int) -> list[Strip]:
        """Return a curve: its numbers in a line, the plot between its axes, a blank line."""
        plot_width = max(1, width - AXIS)
        rows = plotted(curve.values, plot_width, PLOT_ROWS, curve.top, self.glyphs.curve)
        title = Strip([self._segment(padded(heading(curve), width), "title")])
        body = [
            Strip([self._segment(self._label(curve, row), "axis"), self._segment(text, "plot")])
            for row, text in enumerate(rows)
        ]
        axis = " " * AXIS + time_axis(len(curve.values), curve.every_s, plot_width)
        return [title, *body, Strip([self._segment(axis, "axis")]), Strip([])]

    def _label(self, curve: Curve, row: int) -> str:
        share = {0: 1.0, PLOT_ROWS // 2: 0.5, PLOT_ROWS - 1: 0.0}.get(row)
        text = "" if share is None else f"{curve.top * share:.0f}"
        return text.rjust(AXIS - 1) + self.glyphs.line

    def _segment(self, text: str, part: str = "axis") -> Segment:
        return Segment(text, self.get_component_rich_style(f"curve--{part}", partial=True))


def heading(curve: Curve) -> str:
    """Return a curve's name and its numbers: ``utilization %  now 3 avg 61 min 0 max 99``."""
    numbers = summary(curve.values)
    parts = (
        ("now", numbers.now),
        ("avg", numbers.average),
        ("min", numbers.least),
        ("max", numbers.most),
    )
    told = " ".join(f"{word} {_number(value)}" for word, value in parts)
    return f"{curve.title} {curve.unit}  {told}"


def time_axis(count: int, every_s: float, width: int) -> str:
    """Return the time below a plot: how long ago it begins, and now at its right edge."""
    columns = min(width, max(1, count))
    begin = f"-{_span(count * every_s)}"
    free = width - len("now")
    at = max(0, min(width - columns, free - len(begin) - 1))
    if free <= len(begin):
        return "now".rjust(width)[-width:]
    return (" " * at + begin).ljust(free) + "now"


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f}m" if seconds >= 120 else f"{seconds:.0f}s"


def _number(value: Value) -> str:
    if value is None:
        return "?"
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _between(strips: Sequence[Strip], gap: Strip) -> list[Strip]:
    joined = [strips[0]]
    for strip in strips[1:]:
        joined += [gap, strip]
    return joined
