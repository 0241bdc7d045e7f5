"""How a log is painted: the rows in sight, and of those only the ones that changed."""

import time
from collections.abc import Callable
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.log_rows import Row, rows_from, settled
from eaas_tui.model.log_selection import Selection, Spot
from eaas_tui.model.log_times import LogTimes
from eaas_tui.widgets.log_lines import LogLines, Shown

BAR: Final = 1
"""Cells of the scrollbar, which are kept free when there is none."""
STRIPS_KEPT: Final = 1500


class LogCanvas(Widget):
    """Paints the rows of a log that are in sight, and only those that changed."""

    DEFAULT_CSS = """
    LogCanvas { height: 1fr; width: 1fr; }
    LogCanvas > .log-view--selected { text-style: reverse; }
    LogCanvas > .log-view--hit { text-style: bold reverse; }
    LogCanvas > .log-view--empty { color: $text-muted; }
    LogCanvas > .log-view--time { color: $text-muted; }
    LogCanvas > .log-view--thumb { background: $foreground 40%; }
    LogCanvas > .log-view--track { background: $foreground 10%; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"log-view--{part}" for part in ("selected", "hit", "empty", "time", "thumb", "track")
    }

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.pages = LogPages()
        self.lines = LogLines(self.pages)
        self.top = Spot(0, 0)
        """The line of the first row in sight, and which of its rows."""
        self.left = 0
        self.words = ""
        self.selection: Selection | None = None
        self.empty = ""
        """What stands there while there are no lines."""
        self.times: LogTimes | None = None
        """When lines arrived; None while nobody wants to see that."""
        self.now: Callable[[], float] = time.time
        self._stamps: list[str] = []
        self._looks: list[Shown | str] = []
        self._bars: tuple[int, int] | None = None
        self._styles: dict[str, Style] = {}
        self._strips: Final[LRUCache[Shown, Strip]] = LRUCache(STRIPS_KEPT)

    @property
    def rows_seen(self) -> int:
        """How many rows are seen at once; 1 at least, so that moving always moves."""
        return max(1, self.size.height)

    @property
    def top_row(self) -> Row:
        """Return the first row in sight."""
        return Row(self.pages.index_at(self.top.offset), self.top.cell)

    def row_at(self, y: int) -> Row | None:
        """Return the row that stands on this line of the widget."""
        look = self._looks[y] if 0 <= y < len(self._looks) else ""
        if isinstance(look, str) or not self.pages.count:
            return None
        return Row(self.pages.index_at(look.begin), look.part)

    @property
    def rows(self) -> list[Row]:
        """Return the rows in sight; pages may have come and gone since they were painted."""
        rows = map(self.row_at, range(len(self._looks)))
        return [row for row in rows if row is not None]

    @property
    def in_sight(self) -> tuple[int, int] | None:
        """Return the offsets at which what is in sight begins and stops; None for nothing."""
        shown = [look for look in self._looks if isinstance(look, Shown)]
        return (shown[0].begin, shown[-1].stop) if shown else None

    @property
    def time_cells(self) -> int:
        """Return how many cells before the lines the times take."""
        room = max(0, self.size.width - BAR - 1)
        return min(self.times.cells, room) if self.times is not None and self.pages.count else 0

    def fit(self) -> None:
        """Let the lines be as wide as there is room."""
        self.lines.lay_out(max(1, self.size.width - BAR - self.time_cells), wrap=self.lines.wrap)

    def lay_out(self) -> None:
        """Paint what is in sight now, if it looks different from what is on the screen."""
        cells, before = self.time_cells, self._stamps
        rows = self._settled()
        if self.time_cells != cells:  # days are told from now on
            rows = self._settled()
        looks: list[Shown | str] = [
            self.lines.shown(row, self.left, self.selection, self.words) for row in rows
        ]
        looks += [self.empty if y == 0 else "" for y in range(len(rows), self.size.height)]
        bars = self._bar(looks)
        if len(looks) != len(self._looks) or bars != self._bars or len(before) != len(self._stamps):
            self.refresh()
        elif changed := [
            y
            for y, look in enumerate(looks)
            if look != self._looks[y] or self._stamps[y : y + 1] != before[y : y + 1]
        ]:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))
        self._looks, self._bars = looks, bars

    def _settled(self) -> list[Row]:
        """Return the rows in sight, their times found."""
        self.fit()
        count, height_of = self.pages.count, self.lines.height_of
        top = settled(self.top_row, self.rows_seen, count, height_of)
        self.top = Spot(self.pages.start(top.line), top.part) if count else Spot(0, 0)
        rows = list(rows_from(top, self.size.height, count, height_of))
        self._stamps = []
        if self.times is not None:
            begins = [None if row.part else self.pages.start(row.line) for row in rows]
            self._stamps = self.times.stamp_rows(begins, self.now())
        return rows

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of that part; the styles are looked up once for all of them."""
        self._styles.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line: a row of the log, and the scrollbar's cell beside it."""
        look = self._looks[y] if y < len(self._looks) else ""
        if isinstance(look, str):
            strip = Strip([Segment(look, self._style("empty"))])
        else:
            strip = self._strip(look)
        cells = self.time_cells
        width = max(0, self.size.width - BAR - cells)
        stamp = self._stamps[y] if y < len(self._stamps) else ""
        before = [Segment(stamp.ljust(cells)[:cells], self._style("time"))] if cells else []
        line = [*before, *strip.adjust_cell_length(width), self._bar_cell(y)]
        return Strip(line).apply_style(self._style(""))

    def notify_style_update(self) -> None:
        """Paint everything anew: the colours are others."""
        super().notify_style_update()
        self._strips.clear()

    def forget(self) -> None:
        """Drop what was painted: the log is another one."""
        self._strips.clear()
        self._looks = []

    def _strip(self, look: Shown) -> Strip:
        strip = self._strips.get(look)
        if strip is None:
            strip = self.lines.strip(look, selected=self._style("selected"), hit=self._style("hit"))
            if self.pages.begin <= look.begin and look.stop <= self.pages.end:
                self._strips[look] = strip
        return strip

    def _style(self, part: str) -> Style:
        """Return a part's style, or the widget's own for no part."""
        style = self._styles.get(part)
        if style is None:
            style = self._styles[part] = self._found_style(part)
        return style

    def _found_style(self, part: str) -> Style:
        if not part:
            return self.rich_style
        is_ground = part in ("thumb", "track")
        return self.get_component_rich_style(f"log-view--{part}", partial=not is_ground)

    def _bar(self, looks: list[Shown | str]) -> tuple[int, int] | None:
        """Return which lines are the scrollbar's thumb; None when everything is in sight."""
        size, height = self.pages.size, self.size.height
        seen = [look for look in looks if isinstance(look, Shown)]
        if not seen or not size:
            return None
        seen_end = seen[-1].stop
        if self.top == Spot(0, 0) and seen_end >= size - 1:
            return None
        length = max(1, height * (seen_end - self.top.offset) // size)
        first = min(height - length, height * self.top.offset // size)
        if seen_end >= size - 1:
            first = height - length
        return first, first + length

    def _bar_cell(self, y: int) -> Segment:
        if self._bars is None:
            return Segment(" ")
        part = "thumb" if self._bars[0] <= y < self._bars[1] else "track"
        return Segment(" ", self._style(part))
