"""How the lines of a log stand on the screen: rows of wrapped lines, and moving among them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size


class Row(NamedTuple):
    """One row of the screen: a line, by its index, and which of its rows."""

    line: int
    part: int = 0


Heights = Callable[[int], int]
"""How many rows a line takes."""


def cuts(text: str, width: int) -> list[int]:
    """Return the cells at which the text is cut into rows; a wide character is never split."""
    if width <= 0:
        return []
    length = cell_len(text)
    if length == len(text):
        return list(range(width, length, width))
    found, column, row_begin = [], 0, 0
    for character in text:
        size = get_character_cell_size(character)
        if column + size - row_begin > width and column > row_begin:
            found.append(column)
            row_begin = column
        column += size
    return found


def moved(row: Row, by: int, count: int, height_of: Heights) -> Row:
    """Return the row so many rows away, or the first or last one there is."""
    if count <= 0:
        return Row(0)
    line, part = min(row.line, count - 1), row.part
    part = min(part, height_of(line) - 1)
    while by < 0 and (line, part) != (0, 0):
        step = min(-by, part)
        part, by = part - step, by + step
        if by < 0 and line > 0:
            line, by = line - 1, by + 1
            part = height_of(line) - 1
    while by > 0:
        room = height_of(line) - 1 - part
        if by <= room:
            return Row(line, part + by)
        if line == count - 1:
            return Row(line, part + room)
        line, part, by = line + 1, 0, by - room - 1
    return Row(line, part)


def last(count: int, height_of: Heights) -> Row:
    """Return the last row there is."""
    return Row(count - 1, height_of(count - 1) - 1) if count > 0 else Row(0)


def rows_from(top: Row, rows: int, count: int, height_of: Heights) -> Iterator[Row]:
    """Yield the rows that stand on the screen when ``top`` is the first of them."""
    line, part = top
    while rows > 0 and line < count:
        if part < height_of(line):
            yield Row(line, part)
            rows, part = rows - 1, part + 1
        else:
            line, part = line + 1, 0


def settled(top: Row, rows: int, count: int, height_of: Heights) -> Row:
    """Return the first row such that the screen is not left half empty at the end."""
    return min(top, moved(last(count, height_of), 1 - rows, count, height_of))
