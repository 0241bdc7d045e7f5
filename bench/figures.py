"""What was measured: figures with their spread, and the table that shows them."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final, TextIO

import msgspec

WIDEST_NAME: Final = 58


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was measured, once a round."""

    name: str
    values: tuple[float, ...]
    unit: str
    target: str = ""
    """What it should be, in words; empty where nothing is asked."""
    note: str = ""

    @property
    def middle(self) -> float:
        """Return the median of the rounds."""
        return median(self.values)


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one part, measured together."""

    title: str
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()


def rates(count: int, spans_s: Sequence[float]) -> tuple[float, ...]:
    """Return how many there were a second, for each round."""
    return tuple(count / span_s for span_s in spans_s)


def number(value: float) -> str:
    """Return the value with about three digits that mean something."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def show(section: Section, out: TextIO) -> None:
    """Print one part of the table."""
    out.write(f"\n{section.title}\n")
    for line in lines(section.figures):
        out.write(f"  {line}\n")
    for note in section.notes:
        out.write(f"  {note}\n")
    out.flush()


def lines(figures: Iterable[Figure]) -> list[str]:
    """Return the figures as lines: name, median, spread, target."""
    return [line(figure).rstrip() for figure in figures]


def line(figure: Figure) -> str:
    """Return the figure as one line; the spread is the lowest and the highest round."""
    low, high = number(min(figure.values)), number(max(figure.values))
    spread = f"{low} .. {high}" if len(figure.values) > 1 else "once"
    target = f"target {figure.target}" if figure.target else ""
    middle = f"{number(figure.middle):>8} {figure.unit}"
    words = "   ".join(part for part in (target, figure.note) if part)
    return f"{figure.name:<{WIDEST_NAME}} {middle:<18} {spread:<22} {words}"
