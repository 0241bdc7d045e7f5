"""Families of one quantity: a name, what it is, and a row for each thing that has it."""

from collections.abc import Iterable, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

PREFIX: Final = "mini_eaas_"
MIB: Final = 1 << 20

Row = tuple[Sequence[str], float | None]
"""Label values, and the number; None when nobody knows it: then there is no such series."""


def gauge(
    name: str, about: str, labels: Sequence[str], rows: Iterable[Row], *, unit: str = ""
) -> GaugeMetricFamily:
    """Return what goes up and down; ``name`` goes without prefix, with its unit at the end."""
    family = GaugeMetricFamily(PREFIX + name, about, labels=labels, unit=unit)
    for values, number in rows:
        if number is not None:
            family.add_metric(values, number)
    return family


def counter(
    name: str, about: str, labels: Sequence[str], rows: Iterable[Row]
) -> CounterMetricFamily:
    """Return what only goes up; ``name`` goes without ``_total``."""
    family = CounterMetricFamily(PREFIX + name, about, labels=labels)
    for values, number in rows:
        if number is not None:
            family.add_metric(values, number)
    return family


def info(
    name: str, about: str, labels: Sequence[str], rows: Iterable[Sequence[str]]
) -> InfoMetricFamily:
    """Return facts in words, as labels of a 1; ``name`` goes without ``_info``."""
    family = InfoMetricFamily(PREFIX + name, about, labels=labels)
    for values in rows:
        family.add_metric(values, {})
    return family


def size_bytes(mib: int | None) -> int | None:
    """Return mebibytes as bytes."""
    return None if mib is None else mib * MIB
