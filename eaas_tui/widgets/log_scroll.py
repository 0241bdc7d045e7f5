"""Moving through a log: its end is followed until somebody scrolls up, and again from there."""

import time
from typing import ClassVar, Final, Literal

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.timer import Timer

from eaas_tui.model.log_pages import LogPages
from eaas_tui.model.log_rows import Row, last, moved, settled
from eaas_tui.model.log_selection import Spot
from eaas_tui.model.log_times import LogTimes
from eaas_tui.widgets.ansi import MAX_CELLS
from eaas_tui.widgets.log_canvas import LogCanvas
from eaas_tui.widgets.log_lines import LogLines

PAINT_S: Final = 0.25
"""What is appended is painted this often at most; a key paints at once."""
WHEEL_ROWS: Final = 3

Wish = Literal["before", "after", "top", "end"]


class LogScroll(LogCanvas, can_focus=True):
    """Moves through a log. What it lacks it asks for with ``Wants``."""

    class Wants(Message):
        """A page that is not held is looked at, or soon will be."""

        def __init__(self, wish: Wish) -> None:
            self.wish: Final = wish
            super().__init__()

    class Jumped(Message):
        """The scrollbar was pressed at this place of the log."""

        def __init__(self, offset: int) -> None:
            self.offset: Final = offset
            super().__init__()

    class Changed(Message):
        """Another part of the log is in sight, or it is followed, or no longer."""

    BINDINGS: ClassVar = [
        ("j,down", "move(1)"),
        ("k,up", "move(-1)"),
        ("pagedown,ctrl+d", "page(1)"),
        ("pageup,ctrl+u", "page(-1)"),
        ("g,home", "to_top"),
        ("G,end", "to_end"),
        ("left", "aside(-1)"),
        ("right", "aside(1)"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.follow = True
        self._painted_at = 0.0
        self._timer: Timer | None = None

    # --- what is shown

    def show(self, pages: LogPages) -> None:
        """Look at another log, at its end."""
        wrap = self.lines.wrap
        self.pages, self.lines = pages, LogLines(pages)
        self.lines.wrap = wrap
        self.top, self.left, self.selection, self.follow = Spot(0, 0), 0, None, True
        self.times = None if self.times is None else LogTimes()
        self.forget()
        self.paint()

    def grew(self) -> None:
        """Paint what was added, at once or a little later; not at all while nobody looks."""
        if self._timer is not None or not self.is_on_screen:
            return
        rest_s = self._painted_at + PAINT_S - time.monotonic()
        if rest_s <= 0 or self.in_sight is None:  # what comes first need not wait
            self.paint()
        else:
            self._timer = self.set_timer(rest_s, self.paint)

    def paint(self) -> None:
        """Paint now."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._painted_at = time.monotonic()
        if self.follow:
            self._at_end()
        self.lay_out()
        self._want_more()
        self.post_message(self.Changed())

    def look_at(self, offset: int, *, rows_before: int = 0) -> bool:
        """Show the place, with some rows before it; tell whether so much of its line is shown."""
        self.follow = False
        row = Row(self.pages.index_at(offset))
        cell = self.lines.cell_at(row.line, offset, self.words)
        if self.lines.wrap:
            edges = self.lines.parsed(row.line).edges[1:-1]
            row = Row(row.line, sum(edge <= cell for edge in edges))
        else:
            is_near = cell + cell_len(self.words) <= self.lines.width
            self.left = 0 if is_near else max(0, cell - self.lines.width // 2)
        self._go(moved(row, -rows_before, self.pages.count, self.lines.height_of))
        self.paint()
        return cell < MAX_CELLS

    @property
    def is_on_screen(self) -> bool:
        """Tell whether somebody can see it."""
        return self.is_attached and self.screen.is_current and bool(self.size.height)

    def set_wrap(self, wrap: bool) -> None:
        """Break long lines into rows, or leave them as long as they are."""
        self.lines.lay_out(self.lines.width, wrap=wrap)
        self.top, self.left = Spot(self.top.offset, 0), 0
        self.forget()
        self.paint()

    def set_times(self, *, shown: bool) -> None:
        """Show before each line when it arrived, or don't."""
        self.times = LogTimes() if shown else None
        self.forget()
        self.paint()

    def on_resize(self, _: events.Resize) -> None:
        """Fit the rows to the new size."""
        self.forget()
        self.paint()

    def on_show(self, _: events.Show) -> None:
        """Catch up with what came while nobody looked."""
        self.paint()

    # --- moving

    def action_move(self, by: int) -> None:
        """Go so many rows down."""
        self.scroll_rows(by)

    def action_page(self, by: int) -> None:
        """Go a screen down or up."""
        self.action_move(by * max(1, self.rows_seen - 1))

    def action_to_top(self) -> None:
        """Go to the log's first line."""
        self.follow = False
        if self.pages.reaches_top:
            self.look_at(0)
        else:
            self.post_message(self.Wants("top"))

    def action_to_end(self) -> None:
        """Go to the log's end and follow it."""
        self.follow = True
        if self.pages.reaches_end:
            self.paint()
        else:
            self.post_message(self.Wants("end"))

    def action_aside(self, by: int) -> None:
        """Look further to the right or left along long lines."""
        if not self.lines.wrap:
            self.left = max(0, self.left + by * max(8, self.size.width // 2))
            self.paint()

    def scroll_rows(self, by: int) -> None:
        """Go so many rows down; upwards the log is no longer followed, at its end it is again."""
        count, height_of = self.pages.count, self.lines.height_of
        before = self.top_row
        wished = moved(before, by, count, height_of)
        top = settled(wished, self.rows_seen, count, height_of)
        is_end = self.pages.reaches_end and top == self._end_row()
        self.follow = is_end and (by > 0 or (self.follow and top == before))
        self._go(top)
        self.paint()

    def _end_row(self) -> Row:
        count, height_of = self.pages.count, self.lines.height_of
        return moved(last(count, height_of), 1 - self.rows_seen, count, height_of)

    def _at_end(self) -> None:
        self.fit()
        self._go(self._end_row())

    def _go(self, row: Row) -> None:
        if self.pages.count:
            self.top = Spot(self.pages.start(row.line), row.part)

    def _want_more(self) -> None:
        if (seen := self.in_sight) is None or not self.is_on_screen:
            return
        pages, margin = self.pages, 2 * self.rows_seen
        if not pages.reaches_top and pages.index_at(seen[0]) < margin:
            self.post_message(self.Wants("before"))
        if not pages.reaches_end and pages.index_at(seen[1]) >= pages.count - margin:
            self.post_message(self.Wants("after"))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down some rows."""
        event.stop()
        self.scroll_rows(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up some rows."""
        event.stop()
        self.scroll_rows(-WHEEL_ROWS)
