"""Curves as rows of characters: every dip and peak stays visible, however narrow the chart is."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

Value = float | None
Span = tuple[float, float] | None
"""The lowest and the highest value of one column; None is unknown."""
Kind = Literal["braille", "blocks", "ascii"]

BRAILLE: Final = 0x2800
DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""The dots of a braille cell: its left column and its right one, each from the bottom up."""
BLOCKS: Final = " ▁▂▃▄▅▆▇█"
SIGNS: Final = " .:|#"


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One curve and what it measures. Equal curves look equal."""

    title: str
    unit: str
    top: float
    """The value at the upper edge; the lower one is 0."""
    values: tuple[Value, ...]
    """The oldest first; None where nothing was measured."""
    every_s: float
    short: str = ""
    """The title where there is little room."""
    peaks: tuple[Value, ...] = ()
    """The most of each value's time, where the values are means."""
    since: str = ""
    """When it begins, in words; empty says how long ago instead."""
    until: str = "now"
    """When the last value was, in words."""
    is_whole: bool = False
    """From a beginning to an end: it fills the whole width, however few values there are."""
    is_live: bool = True
    now: Value = None
    """What is measured at this moment, where that is known: the last value is of a while ago."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A curve in four numbers; None where nothing was measured."""

    now: Value
    average: Value
    least: Value
    most: Value


def summary(values: Sequence[Value]) -> Summary:
    """Return the newest value, and mean, least and most of what was measured."""
    known = [value for value in values if value is not None]
    if not known:
        return Summary(now=None, average=None, least=None, most=None)
    mean = sum(known) / len(known)
    return Summary(now=values[-1], average=mean, least=min(known), most=max(known))


def spans(values: Sequence[Value], columns: int, *, fill: bool = False) -> list[Span]:
    """Return the values' envelope in so many columns.

    The newest value is in the last column. With fewer values than columns each has one of its own
    and the first columns stay empty, or with ``fill`` several columns show the same value; with
    more, a column keeps the least and the most of its own.
    """
    count = len(values)
    if fill and 0 < count <= columns:
        return [_span((values[column * count // columns],)) for column in range(columns)]
    if count <= columns:
        return [None] * (columns - count) + [_span((value,)) for value in values]
    edges = [count * column // columns for column in range(columns + 1)]
    return [_span(values[edges[column] : edges[column + 1]]) for column in range(columns)]


def plotted(
    values: Sequence[Value],
    width: int,
    height: int,
    top: float,
    kind: Kind,
    *,
    fill: bool = False,
) -> list[str]:
    """Return the curve as ``height`` rows of ``width`` characters, the upper one first."""
    if width <= 0 or height <= 0:
        return []
    if kind == "braille":
        return _in_braille(spans(values, 2 * width, fill=fill), height, top)
    signs = BLOCKS if kind == "blocks" else SIGNS
    return _in_columns(spans(values, width, fill=fill), height, top, signs)


def _span(values: Sequence[Value]) -> Span:
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None


def _in_braille(columns: Sequence[Span], height: int, top: float) -> list[str]:
    """Draw a line of dots; each column reaches as far as the one before it."""
    cells = [[0] * (len(columns) // 2) for _ in range(height)]
    before: tuple[int, int] | None = None
    for column, span in enumerate(columns):
        if span is None:
            before = None
            continue
        low, high = (_dot(value, 4 * height, top) for value in span)
        begin, end = _joined(low, high, before)
        for dot in range(begin, end + 1):
            row = height - 1 - dot // 4
            cells[row][column // 2] |= DOTS[column % 2][dot % 4]
        before = low, high
    return ["".join(chr(BRAILLE + cell) if cell else " " for cell in row) for row in cells]


def _joined(low: int, high: int, before: tuple[int, int] | None) -> tuple[int, int]:
    """Return the dots of a column, stretched so that they touch those of the one before."""
    if before is not None and low > before[1]:
        return before[1] + 1, high
    if before is not None and high < before[0]:
        return low, before[0] - 1
    return low, high


def _dot(value: float, dots: int, top: float) -> int:
    share = value / top if top > 0 else 0.0
    return max(0, min(dots - 1, round(share * (dots - 1))))


def _in_columns(columns: Sequence[Span], height: int, top: float, signs: str) -> list[str]:
    """Fill each column up to its highest value."""
    steps = len(signs) - 1
    levels = [None if span is None else _level(span[1], height * steps, top) for span in columns]
    return [
        "".join(signs[_part(level, row, steps)] for level in levels)
        for row in reversed(range(height))
    ]


def _level(value: float, steps: int, top: float) -> int:
    """Return how many steps are filled; what was measured is never quite empty."""
    share = value / top if top > 0 else 0.0
    return max(1, min(steps, round(share * steps)))


def _part(level: int | None, row: int, steps: int) -> int:
    return 0 if level is None else max(0, min(steps, level - row * steps))
