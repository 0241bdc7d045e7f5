"""A window onto a log of any size, in which people move and select. It fetches nothing."""

from typing import ClassVar

from rich.cells import set_cell_size
from textual import events

from eaas_tui.model.log_rows import Row, moved
from eaas_tui.model.log_selection import END_CELL, Selection, Spot
from eaas_tui.widgets.log_canvas import BAR
from eaas_tui.widgets.log_scroll import LogScroll


class LogView(LogScroll):
    """Selects lines by keys and cells with the mouse."""

    BINDINGS: ClassVar = [("v", "select"), ("escape", "unselect")]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_dragging = False

    def copied_text(self) -> str:
        """Return what is selected, else what is in sight, as plain text."""
        if self.selection is None:
            lines = dict.fromkeys(row.line for row in self.rows)
            return "".join(f"{self.lines.parsed(line).text}\n" for line in lines)
        first, last = self.selection.first.offset, self.selection.last.offset
        span = range(self.pages.index_at(first), self.pages.index_at(last) + 1)
        end = "\n" if self.selection.is_by_lines else ""
        return "\n".join(map(self._selected_part, span)) + end

    def _selected_part(self, index: int) -> str:
        assert self.selection is not None, "the caller asks"
        begin, stop = self.selection.cells_of(self.pages.start(index)) or (0, 0)
        text = self.lines.parsed(index).text
        kept = text if stop == END_CELL else set_cell_size(text, stop).rstrip()
        return kept[len(set_cell_size(text, begin)) :] if begin else kept

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave ``escape`` to others while nothing is selected."""
        return action != "unselect" or self.selection is not None

    def action_move(self, by: int) -> None:
        """Go so many rows down; while selecting, the selection's end goes."""
        if self.selection is not None and self.selection.is_by_lines:
            self._select_by(by)
        else:
            self.scroll_rows(by)

    def action_select(self) -> None:
        """Begin to select lines, or stop: then the selection stays as it is."""
        if self.selection is not None and self.selection.is_by_lines:
            self.action_unselect()
        elif self.rows:
            row = self.rows[-1] if self.follow else self.rows[0]
            spot = Spot(self.pages.start(row.line), 0)
            self.follow = False
            self.selection = Selection(anchor=spot, cursor=spot, is_by_lines=True)
            self.paint()

    def action_unselect(self) -> None:
        """Select nothing any more."""
        self.selection = None
        self.paint()

    def _select_by(self, by: int) -> None:
        assert self.selection is not None, "the caller asks"
        index = self.pages.index_at(self.selection.cursor.offset)
        index = max(0, min(index + by, self.pages.count - 1))
        self.selection = self.selection.drawn_to(Spot(self.pages.start(index), 0))
        if self.rows and index < self.rows[0].line:
            self._go(Row(index))
        elif self.rows and index > self.rows[-1].line:
            rows_up = self.rows_seen - self.lines.height_of(index)
            self._go(moved(Row(index), -rows_up, self.pages.count, self.lines.height_of))
        self.paint()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to select, or go where the scrollbar is pressed."""
        if event.button != 1:
            return
        if event.x >= self.size.width - BAR:
            self.follow = False
            self.post_message(self.Jumped(self.pages.size * event.y // self.rows_seen))
        elif (spot := self._spot_at(event)) is not None:
            self.selection = Selection(anchor=spot, cursor=spot)
            self._is_dragging = True
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select as far as the mouse has come."""
        if not self._is_dragging or self.selection is None:
            return
        self.follow = False
        spot = self._spot_at(event)
        if spot is not None and spot != self.selection.cursor:
            self.selection = self.selection.drawn_to(spot)
            self.lay_out()

    def on_mouse_up(self, _: events.MouseUp) -> None:
        """Stop; a press without a move selects nothing."""
        if self._is_dragging:
            self._is_dragging = False
            self.release_mouse()
            if self.selection is not None and self.selection.is_nothing:
                self.action_unselect()

    def _spot_at(self, event: events.MouseEvent) -> Spot | None:
        row = self.row_at(max(0, min(event.y, len(self.rows) - 1)))
        if row is None:
            return None
        begin, _ = self.lines.edges_of(row, self.left)
        return Spot(self.pages.start(row.line), begin + max(0, event.x - self.time_cells))
