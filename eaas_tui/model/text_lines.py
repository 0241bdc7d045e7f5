"""Lines of words with tones, and how they are broken into rows of a width."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from rich.cells import cell_len, chop_cells, set_cell_size

from eaas_tui.model.columns import Cell

MIN_WIDTH: Final = 8
"""A narrower screen cuts lines instead of breaking them further."""


class TextLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line. Where it is broken, its rows after the first begin with ``indent`` blanks."""

    cells: tuple[Cell, ...] = ()
    indent: int = 0


CUT: Final = "~"
"""The mark that something is left out. Terminals do not agree on an ellipsis' width."""

BLANK: Final = TextLine()


def text(*parts: Cell | str, indent: int = 0) -> TextLine:
    """Return a line of these parts."""
    cells = tuple(Cell(part) if isinstance(part, str) else part for part in parts)
    return TextLine(cells=cells, indent=indent)


def heading(words: str) -> TextLine:
    """Return the line above a part of a page."""
    return text(Cell(words, "strong"))


def table(titles: Sequence[str], rows: Iterable[Sequence[str | None]]) -> list[TextLine]:
    """Return a small table: a heading, then the rows; its last column may be as long as it is."""
    cells = [[value or "-" for value in row] for row in rows]
    every = [list(titles), *cells]
    widths = [max(cell_len(row[column]) for row in every) for column in range(len(titles) - 1)]
    indent = sum(widths) + 2 * len(widths)
    lines = ["".join(map(_padded, row, widths)) + row[-1] for row in every]
    return [
        text(Cell(lines[0], "muted")),
        *(text(line, indent=indent) for line in lines[1:]),
    ]


def broken(lines: Iterable[TextLine], width: int) -> list[tuple[Cell, ...]]:
    """Return the lines as rows that are not wider than ``width``, broken between words."""
    return [row for line in lines for row in _rows(line, max(width, MIN_WIDTH))]


def within(words: str, width: int, most: int, *, indent: int = 0) -> list[str]:
    """Return a text in ``most`` lines at most, broken between words.

    What is left out ends in a mark. Lines after the first begin with ``indent`` blanks.
    """
    lines = [text(part, indent=indent) for part in words.split("\n")]
    rows = ["".join(cell.text for cell in row).rstrip() for row in broken(lines, width)]
    if len(rows) > most:
        last = set_cell_size(rows[most - 1], min(width - 1, cell_len(rows[most - 1]) + 1))
        rows[most - 1 :] = [last + CUT]
    return rows


def fitted(cells: Sequence[Cell], width: int) -> Sequence[Cell]:
    """Return a row's cells in so many columns at most; what is left out ends in a mark."""
    if cell_len("".join(cell.text for cell in cells).rstrip()) <= width:
        return cells
    kept: list[Cell] = []
    for cell in cells:
        if (size := cell_len(cell.text)) >= width:
            cut = set_cell_size(cell.text, max(0, width - 1)) + CUT
            return [*kept, Cell(cut[:width] if width <= 1 else cut, cell.tone)]
        kept.append(cell)
        width -= size
    return kept


def _rows(line: TextLine, width: int) -> Iterator[tuple[Cell, ...]]:
    indent = line.indent if line.indent <= width // 2 else 2
    row: list[Cell] = []
    used = 0
    for piece in _pieces(line, width - indent):
        size = cell_len(piece.text)
        if used + cell_len(piece.text.rstrip()) > width and used > 0:
            yield tuple(row)
            row, used = [Cell(" " * indent)], indent
            piece = Cell(piece.text.lstrip(), piece.tone)
            size = cell_len(piece.text)
        row.append(piece)
        used += size
    yield tuple(row)


def _pieces(line: TextLine, width: int) -> Iterator[Cell]:
    """Yield words, each with the blanks after it; a word too long for a row comes in parts."""
    for cell in line.cells:
        for word in _words(cell.text):
            if cell_len(word) <= width:
                yield Cell(word, cell.tone)
            else:
                yield from (Cell(part, cell.tone) for part in chop_cells(word, width))


def _words(words: str) -> Iterator[str]:
    """Yield a text's blanks at its begin, then each word with the blanks after it."""
    begin = 0
    for place in range(1, len(words)):
        if words[place] != " " and words[place - 1] == " ":
            yield words[begin:place]
            begin = place
    yield words[begin:]


def _padded(value: str, width: int) -> str:
    return value + " " * (width - cell_len(value) + 2)
