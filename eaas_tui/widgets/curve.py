"""Curves with axes and units, all of them at once as long as there is room."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.columns import padded
from eaas_tui.model.curve_layout import GAP, Layout, layout
from eaas_tui.model.curve_points import Curve, Value, plotted, summary
from eaas_tui.model.format import duration

AXIS: Final = 5
"""Cells of the numbers on the left, with their rule."""


class CurveGrid(Widget, can_focus=True):
    """Draws curves. Scrolls when there are more than the screen holds."""

    DEFAULT_CSS = """
    CurveGrid { height: 1fr; width: 1fr; }
    CurveGrid > .curve--title { text-style: bold; }
    CurveGrid > .curve--axis { color: $text-muted; }
    CurveGrid > .curve--plot { color: $text-primary; }
    CurveGrid > .curve--peak { color: $text-muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "curve--title",
        "curve--axis",
        "curve--plot",
        "curve--peak",
    }
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
        self.caption = ""
        self.top = 0
        self._head: list[Strip] = []
        self._lines: list[Strip] = []
        self._foot: list[Strip] = []

    def show(
        self, curves: Sequence[Curve], *, glyphs: Glyphs, empty: str, caption: str = ""
    ) -> None:
        """Draw these curves, or the sentence when there are none. Equal ones are not redrawn."""
        wanted = (curves, glyphs, empty, caption)
        if wanted != (self.curves, self.glyphs, self.empty, self.caption):
            self.curves, self.glyphs, self.empty, self.caption = wanted
            self._draw()

    def render_line(self, y: int) -> Strip:
        """Return one line: the caption stays above, an axis for all below what scrolls."""
        below = y - (self.size.height - len(self._foot))
        if y < len(self._head):
            strip = self._head[y]
        elif below >= 0:
            strip = self._foot[below]
        else:
            place = self.top + y - len(self._head)
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
        most = max(0, len(self._lines) - self._room)
        top = max(0, min(most, self.top + by))
        if top != self.top:
            self.top = top
            self.refresh()

    def action_page(self, by: int) -> None:
        """Scroll by screens."""
        self.action_move(by * max(1, self._room - 1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.action_move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.action_move(-3)

    @property
    def _room(self) -> int:
        """Return how many lines scroll in sight."""
        return max(0, self.size.height - len(self._head) - len(self._foot))

    def _draw(self) -> None:
        if not self.size.width:
            return
        caption = padded(self.caption, self.size.width)
        self._head = [Strip([self._segment(caption)])] if self.caption else []
        self._lines, self._foot = [Strip([self._segment(self.empty)])], []
        if self.curves:
            height = self.size.height - len(self._head)
            self._draw_curves(layout(len(self.curves), self.size.width, height))
        self.action_move(0)
        self.refresh()

    def _draw_curves(self, laid: Layout) -> None:
        drawn = [self._curve(curve, laid) for curve in self.curves]
        self._lines = [
            strip
            for begin in range(0, len(drawn), laid.columns)
            for strip in _beside(drawn[begin : begin + laid.columns], laid.width)
        ]
        if not laid.has_own_axes:
            axes = [[self._time_axis(curve, laid)] for curve in self.curves[: laid.columns]]
            self._foot = _beside(axes, laid.width)

    def _curve(self, curve: Curve, laid: Layout) -> list[Strip]:
        """Return a curve: its numbers in a line, the plot, and its axis if it has its own."""
        title = Strip([self._segment(padded(heading(curve, laid.width), laid.width), "title")])
        lines = [title, *self._plot(curve, laid)]
        return [*lines, self._time_axis(curve, laid), Strip([])] if laid.has_own_axes else lines

    def _plot(self, curve: Curve, laid: Layout) -> list[Strip]:
        width, rows = max(1, laid.width - AXIS), laid.plot_rows
        means, peaks = (
            plotted(values, width, rows, curve.top, self.glyphs.curve, fill=curve.is_whole)
            for values in (curve.values, curve.peaks or curve.values)
        )
        return [
            Strip(
                [
                    self._segment(self._label(curve, row, rows)),
                    *(self._segment(text, part) for text, part in overlaid(mean, peak)),
                ]
            )
            for row, (mean, peak) in enumerate(zip(means, peaks, strict=True))
        ]

    def _label(self, curve: Curve, row: int, rows: int) -> str:
        shares = {rows - 1: 0.0, rows // 2: 0.5, 0: 1.0} if rows >= 3 else {1: 0.0, 0: 1.0}
        share = shares.get(row)
        text = "" if share is None else f"{curve.top * share:.0f}"
        return text.rjust(AXIS - 1) + self.glyphs.line

    def _time_axis(self, curve: Curve, laid: Layout) -> Strip:
        axis = time_axis(curve, max(1, laid.width - AXIS))
        return Strip([self._segment(" " * AXIS + axis)])

    def _segment(self, text: str, part: str = "axis") -> Segment:
        return Segment(text, self.get_component_rich_style(f"curve--{part}", partial=True))


def heading(curve: Curve, width: int) -> str:
    """Return a curve's name and what of its numbers has room: ``util %  now 3 avg 61 max 99``.

    The least of means is nobody's least, so where the values are means it is left out.
    """
    numbers = summary(curve.values)
    now = numbers.now if curve.now is None else curve.now
    most = summary((*(curve.peaks or curve.values), now if curve.is_live else None)).most
    told = {
        "now": _number(now),
        "avg": _number(numbers.average),
        "min": _number(numbers.least),
        "max": _number(most),
    }
    first = ["now"] if curve.is_live else []
    ways = [
        (title, [*first, *words])
        for words in (("avg", "min", "max"), ("avg", "max"), ("max",), ())[bool(curve.peaks) :]
        for title in (curve.title, curve.short or curve.title)
    ]
    lines = [
        f"{title} {curve.unit}  {' '.join(f'{word} {told[word]}' for word in words)}".rstrip()
        for title, words in ways
    ]
    return next((line for line in lines if len(line) <= width), lines[-1])


def time_axis(curve: Curve, width: int) -> str:
    """Return the time below a plot: when it begins, how long that is, and when it ends."""
    count = len(curve.values)
    length = duration(count * curve.every_s)
    begin, end = curve.since or f"-{length}", curve.until
    room = width - len(end)
    if room <= len(begin):
        return end.rjust(width)[-width:]
    columns = width if curve.is_whole else min(width, max(1, count))
    left = " " * max(0, min(width - columns, room - len(begin) - 1)) + begin
    between = room - len(left)
    middle = length if curve.since and len(length) + 2 <= between else ""
    return left + middle.center(between) + end


def overlaid(mean: str, peak: str) -> list[tuple[str, str]]:
    """Return a plot's row in pieces: the means, and the peaks where they leave room."""
    pieces: list[tuple[str, str]] = []
    for below, above in zip(mean, peak, strict=True):
        sign, part = (above, "peak") if below == " " and above != " " else (below, "plot")
        if pieces and pieces[-1][1] == part:
            pieces[-1] = pieces[-1][0] + sign, part
        else:
            pieces.append((sign, part))
    return pieces


def _number(value: Value) -> str:
    if value is None:
        return "?"
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _beside(drawn: Sequence[list[Strip]], width: int) -> list[Strip]:
    """Return the curves' lines, joined from left to right."""
    gap = Strip([Segment(" " * GAP)])
    lines = []
    for parts in zip_longest(*drawn, fillvalue=Strip([])):
        joined = [parts[0].adjust_cell_length(width)]
        for part in parts[1:]:
            joined += [gap, part.adjust_cell_length(width)]
        lines.append(Strip.join(joined))
    return lines
