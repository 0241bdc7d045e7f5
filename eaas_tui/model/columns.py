"""Columns and rows of a list: who gets how many cells, and what is dropped when it is narrow."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, Literal

import msgspec
from rich.cells import cell_len, set_cell_size

Tone = Literal["plain", "strong", "muted", "good", "busy", "warn", "bad"]
"""How a word is meant. The widget turns it into a colour; the word itself says it too."""

GAP: Final = 1
"""Blank cells between two columns."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column: ``width`` cells when there is room, ``min_width`` when there is little."""

    key: str
    title: str
    width: int
    min_width: int = 0
    """0 is ``width``: this column does not shrink."""
    flex: int = 0
    """Its share of the cells that are left over."""
    align: Literal["left", "right"] = "left"
    rank: int = 0
    """The highest goes first when the list is too narrow; 0 always stays."""
    sort: str | None = None
    """What a click on its title sorts by; None when nothing can be sorted by it."""
    descends: bool = False
    """Whether its values fall from the top down in that order, until it is turned around."""

    @property
    def least(self) -> int:
        """Return how narrow it may get."""
        return self.min_width or self.width


class Cell(msgspec.Struct, frozen=True):
    """What stands in one column of one row; a plain ``str`` is a cell without a tone."""

    text: str
    tone: Tone = "plain"


class Row(msgspec.Struct, frozen=True):
    """One row, its cells in the order of the columns. Equal rows look equal."""

    cells: tuple[Cell | str, ...]
    tone: Tone = "plain"
    """Of every cell that has none of its own."""


def fit(columns: Sequence[Column], cells: int) -> list[tuple[int, int]]:
    """Return which columns are shown, as ``(index, width)`` from left to right.

    Columns of the highest rank go first while not even the least widths fit; then widths grow
    to what they wish, those with most ``flex`` first, which also share what is left after that.
    """
    shown = list(range(len(columns)))
    while _needed([columns[index].least for index in shown]) > cells:
        dropped = max(shown, key=lambda index: (columns[index].rank, index), default=None)
        if dropped is None or columns[dropped].rank == 0:
            break
        shown.remove(dropped)
    widths = {index: columns[index].least for index in shown}
    left = cells - _needed(widths.values())
    for index in sorted(shown, key=lambda index: -columns[index].flex):
        more = min(max(left, 0), columns[index].width - widths[index])
        widths[index] += more
        left -= more
    _share_out(columns, widths, left)
    return list(widths.items())


@lru_cache(2048)  # of a row that is painted again mostly one cell is another
def padded(text: str, width: int, *, to_right: bool = False) -> str:
    """Return the text in exactly ``width`` cells; what is cut off ends in a tilde.

    A tilde, not an ellipsis, whose width terminals do not agree on.
    """
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "~" if width > 0 else ""
    blank = " " * (width - length)
    return blank + text if to_right else text + blank


def text_of(cell: Cell | str) -> str:
    """Return what a cell says."""
    return cell if isinstance(cell, str) else cell.text


def tone_of(cell: Cell | str, row: Row) -> Tone:
    """Return a cell's own tone, or else its row's."""
    tone: Tone = "plain" if isinstance(cell, str) else cell.tone
    return row.tone if tone == "plain" else tone


def _needed(widths: Collection[int]) -> int:
    return sum(widths) + GAP * max(0, len(widths) - 1)


def _share_out(columns: Sequence[Column], widths: dict[int, int], left: int) -> None:
    """Give the cells that are left to the columns that flex, in proportion."""
    shares = sum(columns[index].flex for index in widths)
    for index in widths:
        if left <= 0 or shares == 0:
            return
        more = left * columns[index].flex // shares
        widths[index] += more
        left -= more
        shares -= columns[index].flex
