"""What the terminal shows, cell by cell, and the shortest way to something else.

Textual's updates are taken apart into cells, and compared with what is shown already.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from rich.cells import cell_len
from rich.color import ColorSystem
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from eaas_tui.cells import PLAIN, SINGLE, Look, look_of, sgr, signs_of

BRIDGED: Final = 4
"""A gap of so many unchanged cells is written again: a move of the cursor is as long."""
SCATTERED: Final = 1000
"""So many changed cells at most are tried colour by colour too: to turn to another colour and back
is longer than to move there twice."""
FEW_TURNS: Final = 3
"""With no more changes of the look in reading order, it is the shortest: nothing else is tried."""
MOVE: Final = 5
"""About the signs of a move of the cursor."""

Cell = tuple[int, int]
"""Row and column."""
Piece = tuple[int, int, Strip]
"""Row, column, and what stands there."""


def pieces_of(update: LayoutUpdate | ChopsUpdate) -> Iterator[Piece]:
    """Yield what an update says, in reading order.

    A chop that a changed span touches comes whole: what did not change costs nothing here. The
    others are not to be believed, the widgets there were not asked.
    """
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield y, x, strip
                x += strip.cell_length
        return
    for y, first, last in update.spans:
        for (x, strip_or_none), end in zip(
            update.chops[y].items(), update.chop_ends[y], strict=False
        ):
            if strip_or_none is not None and x < last and end > first:
                yield y, x, strip_or_none


def _joined(strip: Strip, system: ColorSystem) -> Iterator[tuple[str, Look]]:
    """Yield the strip's texts; those of one look together, as the cells of a row are."""
    joined, last, was_plain = "", PLAIN, False
    for text, style, control in strip:
        if control:
            continue
        look, is_plain = look_of(style, system), SINGLE.fullmatch(text) is not None
        if look is last and is_plain and was_plain:
            joined += text
            continue
        if joined:
            yield joined, last
        joined, last, was_plain = text, look, is_plain
    if joined:
        yield joined, last


class ShownScreen:
    """What the terminal shows, cell by cell, and what turns that into something else."""

    def __init__(self, width: int, height: int, *, since: float = 0.0) -> None:
        self.size: Final = (width, height)
        self.since: Final = since
        """Since when all of it is known, by the clock of events."""
        self._signs: Final[list[list[str | None]]] = [[None] * width for _ in range(height)]
        self._looks: Final[list[list[Look]]] = [[PLAIN] * width for _ in range(height)]
        self._look = PLAIN
        self._cursor: tuple[int, int] | None = None
        """Row and column the terminal's cursor is at; None when that isn't sure."""
        self._out: list[str] = []
        self._turns = 0
        """How often ``_out`` changes the look."""
        self._changed: list[Cell] = []
        self._left: dict[Cell, None] = {}
        """What is not written yet, the longest left first."""

    @property
    def is_behind(self) -> bool:
        """Tell whether something is left to be written."""
        return bool(self._left)

    def paint(self, pieces: Iterable[Piece], system: ColorSystem) -> str:
        """Return what makes the terminal show the pieces; empty when it does already."""
        self._put_all(pieces, system)
        for cell in self._changed if self._left else ():
            self._left.pop(cell, None)
        return self._shortest(self._changed)

    def leave(self, pieces: Iterable[Piece], system: ColorSystem) -> None:
        """Take the pieces for later: ``go_on`` writes them."""
        self._put_all(pieces, system)
        self._left.update(dict.fromkeys(self._changed))

    def go_on(self, signs: int | None = None) -> str:
        """Return what writes about so many signs of what is left, or all of it."""
        cells = list(self._left)
        if signs is not None:
            cells = cells[: self._count_in(signs, cells)]
        for cell in cells:
            del self._left[cell]
        return self._shortest(cells)

    def _put_all(self, pieces: Iterable[Piece], system: ColorSystem) -> None:
        """Keep the pieces, and note which cells they change."""
        self._changed = []
        for y, x, strip in pieces:
            if 0 <= y < self.size[1]:
                for text, look in _joined(strip, system):
                    x = self._put(y, x, signs_of(text), look)

    def _count_in(self, signs: int, cells: Sequence[Cell]) -> int:
        """Return how many of the cells are written with about so many signs: nothing is written."""
        size, behind, look = 0, (-1, -1), PLAIN
        for count, (y, x) in enumerate(cells):
            if size >= signs:
                return count
            size += 1 if behind == (y, x) else 1 + MOVE
            if (now := self._looks[y][x]) is not look and now != look:
                size, look = size + len(sgr(look, now)), now
            behind = (y, x + 1)
        return len(cells)

    def _shortest(self, cells: Sequence[Cell]) -> str:
        """Return the shortest way found to write the cells."""
        written = self._written(cells)
        if len(cells) > SCATTERED or self._turns <= FEW_TURNS:
            return written
        return min(written, self._written(self._by_colour(cells)), key=len)

    def _written(self, cells: Iterable[Cell]) -> str:
        """Return what writes the cells in this order.

        Most cells go on where the one before has ended, in its look: these are taken at once.
        """
        self._out, self._cursor, self._turns = [], None, 0
        out, last = self._out, self.size[0] - 1
        for cell in cells:
            y, x = cell
            sign = self._signs[y][x]
            if (
                cell != self._cursor
                or not sign
                or x == last
                or not sign.isascii()
                or (self._look.blank if sign == " " else self._look) != self._looks[y][x]
            ):
                self._write(y, x)
            else:
                out.append(sign)
                self._cursor = (y, x + 1)
        if self._look != PLAIN:
            self._turn(PLAIN)
        return "".join(out)

    def _by_colour(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return the cells one look after the other; a blank goes with what stands before it."""
        groups: dict[Look, list[Cell]] = {}
        last = PLAIN
        for y, x in cells:
            look = self._looks[y][x]
            if self._signs[y][x] != " " or last.blank != look:
                last = look
            groups.setdefault(last, []).append((y, x))
        return list(chain.from_iterable(groups.values()))

    def _put(self, y: int, x: int, signs: tuple[str, ...] | list[str], look: Look) -> int:
        """Keep a piece of one look and note which cells it changes; return the column after it."""
        end = min(x + len(signs), self.size[0])
        if end <= x or x < 0:
            return x + len(signs)
        new = list(signs[: end - x])
        blank = look.blank
        looks = [blank if sign == " " else look for sign in new]
        row, row_looks = self._signs[y], self._looks[y]
        if row[x:end] != new or row_looks[x:end] != looks:
            was = zip(row[x:end], row_looks[x:end], new, looks, strict=True)
            self._changed += [(y, at) for at, (a, b, c, d) in enumerate(was, x) if a != c or b != d]
            row[x:end], row_looks[x:end] = new, looks
        return x + len(signs)

    def _write(self, y: int, x: int) -> None:
        sign, look = self._signs[y][x], self._looks[y][x]
        if not sign:  # the second half of a wide sign: the first one is written for both
            if self._cursor != (y, x + 1) and x and self._signs[y][x - 1]:
                self._write(y, x - 1)
            return
        self._go(y, x)
        if sign != " " or self._look.blank != look:
            self._turn(look)
        self._out.append(sign)
        after = x + (1 if sign.isascii() else cell_len(sign))
        # Where it is after a composed sign, or in the last column, terminals don't agree.
        self._cursor = (y, after) if len(sign) == 1 and after < self.size[0] else None

    def _go(self, y: int, x: int) -> None:
        if self._cursor == (y, x):
            return
        if self._cursor is None or self._cursor[0] != y:
            self._out.append(f"\x1b[{y + 1};{x + 1}H")
        elif not self._bridge(y, self._cursor[1], x):
            gap = x - self._cursor[1]
            by = "" if gap == 1 else gap
            self._out.append(f"\x1b[{by}C" if 0 < gap < 100 else f"\x1b[{x + 1}G")
        self._cursor = (y, x)

    def _bridge(self, y: int, start: int, end: int) -> bool:
        """Write a short gap of unchanged cells again, if that takes no change of the look."""
        if not 0 < end - start <= BRIDGED:
            return False
        gap = list(zip(self._signs[y][start:end], self._looks[y][start:end], strict=True))
        if not all(self._goes_on_with(sign, look) for sign, look in gap):
            return False
        self._out.extend(sign for sign, _ in gap if sign)
        return True

    def _goes_on_with(self, sign: str | None, look: Look) -> bool:
        """Tell whether the cell can be written with the look in force, and is one plain cell."""
        if sign == " ":
            return look == self._look.blank
        return sign is not None and sign.isascii() and look == self._look and sign != ""

    def _turn(self, look: Look) -> None:
        if look != self._look:
            self._out.append(sgr(self._look, look))
            self._look = look
            self._turns += 1
