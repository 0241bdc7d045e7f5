"""What a person has selected in a log: from a cell of one line to a cell of another."""

from typing import NamedTuple

import msgspec

END_CELL = 1 << 30
"""Beyond the end of every line."""


class Spot(NamedTuple):
    """A cell of the line that begins at the offset."""

    offset: int
    cell: int


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Where it was begun and where it is now; either may come first in the log."""

    anchor: Spot
    cursor: Spot
    is_by_lines: bool = False
    """Drawn by keys: whole lines, whatever the cells say."""

    @property
    def first(self) -> Spot:
        """Return the end that comes first."""
        return min(self.anchor, self.cursor)

    @property
    def last(self) -> Spot:
        """Return the end that comes last."""
        return max(self.anchor, self.cursor)

    @property
    def is_nothing(self) -> bool:
        """Tell whether the mouse was pressed and not moved."""
        return self.anchor == self.cursor and not self.is_by_lines

    def cells_of(self, offset: int) -> tuple[int, int] | None:
        """Return which cells of the line that begins there are selected, the end not included."""
        first, last = self.first, self.last
        if self.is_nothing or not first.offset <= offset <= last.offset:
            return None
        begin = first.cell if offset == first.offset and not self.is_by_lines else 0
        stop = last.cell + 1 if offset == last.offset and not self.is_by_lines else END_CELL
        return begin, stop

    def drawn_to(self, spot: Spot) -> "Selection":
        """Return the selection when its end has come to the spot."""
        return msgspec.structs.replace(self, cursor=spot)
