"""The part of a list that is seen: rows between a top and a bottom, a scrollbar, the wheel."""

from collections.abc import Sequence
from typing import Final, Generic, TypeVar

import msgspec
from textual import events

from eaas_tui.model.columns import Column, Row
from eaas_tui.model.viewport import Rows, Viewport, within
from eaas_tui.widgets.row_canvas import BAR, Look, RowCanvas

K = TypeVar("K")

WHEEL_ROWS: Final = 3


class RowScroll(RowCanvas, Generic[K]):
    """A window onto rows. A subclass says which one is selected and which are marked."""

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        empty: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(columns, id=id, classes=classes)
        self.rows: Rows[K] = Rows((), _no_row)
        self.sort: tuple[str | None, bool] = (None, False)
        self.empty = empty
        self.view: Viewport[K] = Viewport()
        self._is_dragging = False

    def is_marked(self, key: K) -> bool:
        """Tell whether the row carries a mark."""
        return False

    def look_at(self, y: int) -> Look:
        """Return the header, a row, the text of an empty list, or nothing."""
        return self._look_at(y, self._thumb(self.rows_seen))

    def looks(self) -> list[Look]:
        """Return the same for each line; the list's own size is looked up once, not a line."""
        height = self.size.height
        thumb = self._thumb(max(1, height - 1))
        return [self._look_at(y, thumb) for y in range(height)]

    def _look_at(self, y: int, thumb: range | None) -> Look:
        if y == 0:
            return Look(content=self._header(), is_header=True)
        place = self.view.top + y - 1
        if place >= len(self.rows):
            lines = [] if self.rows.keys else self.empty.splitlines()
            return Look(content=lines[y - 1] if y <= len(lines) else "")
        key = self.rows.keys[place]
        return Look(
            content=self.rows.row_of(key),
            is_selected=place == self.view.index,
            is_marked=self.is_marked(key),
            bar="" if thumb is None else "thumb" if y - 1 in thumb else "track",
        )

    @property
    def rows_seen(self) -> int:
        """How many rows are seen at once; 1 at least, so that moving always moves."""
        return max(1, self.size.height - 1)

    def _header(self) -> Row:
        key, is_reverse = self.sort

        def sign(column: Column) -> str:
            """Return ``^`` where values rise from the top down, ``v`` where they fall."""
            if column.sort is None or column.sort != key:
                return ""
            return "v" if column.descends is not is_reverse else "^"

        return Row(tuple(column.title + sign(column) for column in self.columns))

    def _thumb(self, height: int) -> range | None:
        """Return the lines of the scrollbar's thumb; None where all of so few rows are seen."""
        count = len(self.rows)
        if count <= height:
            return None
        size = max(1, height * height // count)
        first = (height - size) * self.view.top // (count - height)
        return range(first, first + size)

    def scroll_rows(self, top: int) -> None:
        """Show the rows from this place on."""
        top = within(top, len(self.rows), self.rows_seen)
        self.view = msgspec.structs.replace(self.view, top=top)
        self.paint_changes()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show what is below; the selection stays."""
        event.stop()
        self.scroll_rows(self.view.top + WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show what is above; the selection stays."""
        event.stop()
        self.scroll_rows(self.view.top - WHEEL_ROWS)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to drag the scrollbar."""
        if event.button == 1 and self.is_on_bar(event):
            self._is_dragging = True
            self.capture_mouse()
            self._drag_to(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Scroll to where the scrollbar is dragged."""
        if self._is_dragging:
            self._drag_to(event.y)

    def on_mouse_up(self, _: events.MouseUp) -> None:
        """Let the scrollbar go."""
        if self._is_dragging:
            self._is_dragging = False
            self.release_mouse()

    def is_on_bar(self, event: events.MouseEvent) -> bool:
        """Tell whether the mouse is on the scrollbar."""
        is_long = len(self.rows) > self.rows_seen
        return is_long and event.y > 0 and event.x >= self.size.width - BAR

    def _drag_to(self, y: int) -> None:
        share = max(0, y - 1) / max(1, self.rows_seen - 1)
        self.scroll_rows(round(share * (len(self.rows) - self.rows_seen)))


def _no_row(_: object) -> Row:
    return Row(())
