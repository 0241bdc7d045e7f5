"""The one list: jobs, nodes, queues, events. Its selection follows the thing, not the row."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Final, TypeVar

import msgspec
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from eaas_tui.model.columns import Column
from eaas_tui.model.marks import Marks
from eaas_tui.model.viewport import Rows, followed, moved, within
from eaas_tui.widgets.row_scroll import RowScroll

K = TypeVar("K")


class ListMessage(Message):
    """Something a person did in a list."""

    def __init__(self, row_list: "RowList[Any]") -> None:
        self.row_list: Final = row_list
        super().__init__()

    @property
    def control(self) -> "RowList[Any]":
        """The list, so that a handler can name it by selector."""
        return self.row_list


class RowList(RowScroll[K], can_focus=True):
    """A table of any length that draws only what is seen. Draws what it is given, asks nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="list.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.page_down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.page_up"),
        Binding("ctrl+d", "page(0.5)", "Half a page down", show=False, id="list.half_down"),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", show=False, id="list.half_up"),
        Binding("g,home", "to_top", "First", show=False, id="list.top"),
        Binding("G,end", "to_end", "Last", show=False, id="list.end"),
        Binding("enter", "open", "Open", show=False, id="list.open"),
        Binding("space", "mark", "Mark", show=False, id="mark.space"),
        Binding("v", "mark_range", "Mark a range", show=False, id="mark_range.v"),
        Binding("*", "mark_all", "Mark all shown", show=False, id="mark_all.asterisk"),
        Binding("u", "unmark", "Unmark", show=False, id="unmark.u"),
        Binding("<", "sort(-1)", "Sort left", show=False, id="sort_left.less_than_sign"),
        Binding(">", "sort(1)", "Sort right", show=False, id="sort_right.greater_than_sign"),
        Binding("R", "reverse", "Reverse the order", show=False, id="sort_reverse.R"),
    ]

    class Selected(ListMessage):
        """Another row is selected; ``key`` is None when there is none."""

        def __init__(self, row_list: "RowList[Any]", key: Any) -> None:
            self.key: Final = key
            super().__init__(row_list)

    class Opened(ListMessage):
        """A person wants to see more of this row."""

        def __init__(self, row_list: "RowList[Any]", key: Any) -> None:
            self.key: Final = key
            super().__init__(row_list)

    class RoomChanged(ListMessage):
        """More or fewer rows are seen at once, or wider ones."""

    class MarksChanged(ListMessage):
        """Other rows are marked; ask the list which."""

    class SortAsked(ListMessage):
        """A person wants the list in another order."""

        def __init__(self, row_list: "RowList[Any]", key: str, *, is_reverse: bool) -> None:
            self.key: Final = key
            self.is_reverse: Final = is_reverse
            super().__init__(row_list)

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        empty: str = "",
        can_mark: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(columns, empty=empty, id=id, classes=classes)
        self.marks: Marks[K] = Marks()
        self._can_mark: Final = can_mark

    # --- what it is given

    def show(self, rows: Rows[K], *, empty: str | None = None) -> None:
        """Show these rows. What is selected stays selected, and in place, if it is still there."""
        was = self.selected
        self.view = followed(self.view, self.rows.keys, rows.keys, height=self.rows_seen)
        self.rows = rows
        self.empty = self.empty if empty is None else empty
        self._tell_selected(was)
        self.paint_changes()

    def show_sort(self, key: str | None, *, is_reverse: bool = False) -> None:
        """Show in the header what the rows are sorted by."""
        self.sort = (key, is_reverse)
        self.paint_changes()

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; rows with as many cells must follow."""
        self.columns = columns
        self.lay_out()

    def select(self, key: K) -> None:
        """Select a row and bring it into sight; nothing when it is not in the list."""
        if key in self.rows.keys:
            self._move_to(self.rows.keys.index(key))

    def on_resize(self, _: events.Resize) -> None:
        """Tell whoever shows just as many rows as there is room for."""
        self.post_message(self.RoomChanged(self))

    def lay_out(self) -> None:
        """Fit the columns again, with the selected row in sight."""
        self.view = moved(self.view, self.rows.keys, self.view.index, height=self.rows_seen)
        super().lay_out()

    def retain_marks(self, known: Collection[K]) -> None:
        """Unmark whatever does not exist any more."""
        self._mark(self.marks.retained(known))

    def is_marked(self, key: K) -> bool:
        """Tell whether the row carries a mark."""
        return key in self.marks.keys

    # --- what it knows

    @property
    def selected(self) -> K | None:
        """The key of the selected row."""
        return self.view.cursor if self.rows.keys else None

    @property
    def marked(self) -> list[K]:
        """The marked keys: as listed, then those that are not shown now."""
        return self.marks.in_order(self.rows.keys)

    @property
    def chosen(self) -> list[K]:
        """What an action is about: the marked rows, or else the selected one."""
        if self.marks.keys or self.selected is None:
            return self.marked
        return [self.selected]

    @property
    def places_left(self) -> int:
        """How many rows come after the selected and after the last visible one."""
        seen = max(self.view.index + 1, self.view.top + self.rows_seen)
        return max(0, len(self.rows) - seen)

    # --- keys

    def action_move(self, by: int) -> None:
        """Select the row so many places away."""
        self._move_to(self.view.index + by)

    def action_page(self, pages: float) -> None:
        """Move by screens."""
        by = max(1, int(self.rows_seen * abs(pages)))
        by = by if pages > 0 else -by
        top = within(self.view.top + by, len(self.rows), self.rows_seen)
        self.view = msgspec.structs.replace(self.view, top=top)
        self._move_to(self.view.index + by)

    def action_to_top(self) -> None:
        """Select the first row."""
        self._move_to(0)

    def action_to_end(self) -> None:
        """Select the last row."""
        self._move_to(len(self.rows) - 1)

    def action_open(self) -> None:
        """Ask for more of the selected row."""
        if self.selected is not None:
            self.post_message(self.Opened(self, self.selected))

    def action_mark(self) -> None:
        """Mark or unmark the selected row, and go on to the next."""
        if self._can_mark and self.selected is not None:
            self._mark(self.marks.toggled(self.selected))
            self._move_to(self.view.index + 1)

    def action_mark_range(self) -> None:
        """Begin a range that follows the selection, or end it."""
        if self._can_mark and self.selected is not None:
            self._mark(self.marks.begun(self.selected))

    def action_mark_all(self) -> None:
        """Mark everything shown, or unmark it when it is marked."""
        if self._can_mark:
            self._mark(self.marks.with_all(self.rows.keys))

    def action_unmark(self) -> None:
        """Unmark everything, shown or not."""
        self._mark(Marks())

    def action_sort(self, by: int) -> None:
        """Ask for the order of the next column that can be sorted by."""
        keys = [column.sort for column in self.columns if column.sort is not None]
        if keys:
            now = keys.index(self.sort[0]) if self.sort[0] in keys else -by
            self._ask_sort(keys[(now + by) % len(keys)], is_reverse=False)

    def action_reverse(self) -> None:
        """Ask for the same order the other way round."""
        if self.sort[0] is not None:
            self._ask_sort(self.sort[0], is_reverse=not self.sort[1])

    # --- mouse

    def on_click(self, event: events.Click) -> None:
        """Select a row, open it on the second click, or sort by a header."""
        if self.is_on_bar(event):
            return
        if event.y == 0:
            self._sort_by(self.column_at(event.x))
            return
        place = self.view.top + event.y - 1
        if place < len(self.rows):
            self._move_to(place)
            if event.chain == 2:
                self.action_open()

    # --- what changes

    def _move_to(self, place: int) -> None:
        was = self.selected
        self.view = moved(self.view, self.rows.keys, place, height=self.rows_seen)
        if self.selected is not None and self.marks.since is not None:
            self._mark(self.marks.drawn_to(self.selected, self.rows.keys))
        self._tell_selected(was)
        self.paint_changes()

    def _mark(self, marks: Marks[K]) -> None:
        changed, self.marks = marks.keys != self.marks.keys, marks
        if changed:
            self.post_message(self.MarksChanged(self))
            self.paint_changes()

    def _tell_selected(self, was: K | None) -> None:
        if self.selected != was:
            self.post_message(self.Selected(self, self.selected))

    def _sort_by(self, column: Column | None) -> None:
        if column is not None and column.sort is not None:
            key, is_reverse = self.sort
            self._ask_sort(column.sort, is_reverse=column.sort == key and not is_reverse)

    def _ask_sort(self, key: str, *, is_reverse: bool) -> None:
        self.post_message(self.SortAsked(self, key, is_reverse=is_reverse))
