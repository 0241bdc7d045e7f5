"""How curves share the room there is: how many beside each other, and how tall each is."""

from typing import Final

import msgspec

LEAST_WIDTH: Final = 36
"""Curves stand side by side when each is at least this wide."""
GAP: Final = 2
AROUND: Final = 3
"""Lines of a curve beside its plot: a heading, the time's axis, and a blank one."""
GOOD_ROWS: Final = 5
MOST_ROWS: Final = 11
SCROLLED_ROWS: Final = 3


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The same for all curves of a grid."""

    columns: int
    width: int
    """Cells of one curve."""
    plot_rows: int
    has_own_axes: bool
    """Otherwise one axis of time, below all of them, is everybody's."""


def layout(count: int, width: int, height: int) -> Layout:
    """Return how so many curves are shown best: all of them at once, each as tall as may be.

    Two curves of one card stay beside each other. Where not even plots of one row fit, some are
    left to scroll to.
    """
    ways = _columns(count, width)
    for columns in ways:
        rows = height // _blocks(count, columns) - AROUND
        if rows >= GOOD_ROWS:
            return _laid(columns, width, rows, has_own_axes=True)
    for least in (GOOD_ROWS, 2, 1):
        for columns in ways:
            rows = (height - 1) // _blocks(count, columns) - 1
            if rows >= least:
                return _laid(columns, width, rows, has_own_axes=False)
    return _laid(ways[-1], width, SCROLLED_ROWS, has_own_axes=False)


def _columns(count: int, width: int) -> list[int]:
    fitting = [
        columns
        for columns in (2, 4, 8)
        if columns <= count and (width - GAP * (columns - 1)) // columns >= LEAST_WIDTH
    ]
    return fitting or [1]


def _blocks(count: int, columns: int) -> int:
    return max(1, -(-count // columns))


def _laid(columns: int, width: int, rows: int, *, has_own_axes: bool) -> Layout:
    """Return the layout; a plot of three rows or more has a middle one, for the scale."""
    rows = min(MOST_ROWS, rows)
    return Layout(
        columns=columns,
        width=max(1, (width - GAP * (columns - 1)) // columns),
        plot_rows=rows - 1 if rows >= 3 and rows % 2 == 0 else rows,
        has_own_axes=has_own_axes,
    )
