"""Families of one quantity: a name, what it is, and a row for each thing that has it."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

PREFIX: Final = "mini_eaas_"
MIB: Final = 1 << 20

Row = tuple[tuple[str, ...], float | None]
"""Label values, and the number; None when nobody knows it: then there is no such series."""


class Family(NamedTuple):
    """One quantity. A row is a small tuple: for 800 cards there are thousands at each scrape."""

    name: str
    """With its prefix and its unit, without the ending of its kind."""
    kind: Literal["gauge", "counter", "info"]
    about: str
    labels: tuple[str, ...]
    rows: Sequence[Row]
    unit: str = ""


def gauge(
    name: str, about: str, labels: Sequence[str], rows: Sequence[Row], *, unit: str = ""
) -> Family:
    """Return what goes up and down; ``name`` goes without prefix and unit."""
    full = f"{PREFIX}{name}_{unit}" if unit else PREFIX + name
    return Family(full, "gauge", about, tuple(labels), rows, unit)


def counter(name: str, about: str, labels: Sequence[str], rows: Sequence[Row]) -> Family:
    """Return what only goes up; ``name`` goes without prefix and ``_total``."""
    return Family(PREFIX + name, "counter", about, tuple(labels), rows)


def info(name: str, about: str, labels: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Family:
    """Return facts in words, as labels of a 1; ``name`` goes without prefix and ``_info``."""
    return Family(PREFIX + name, "info", about, tuple(labels), [(values, 1) for values in rows])


def size_bytes(mib: int | None) -> int | None:
    """Return mebibytes as bytes."""
    return None if mib is None else mib * MIB
