"""Which names and labels a PromQL expression speaks of: enough to see whether they exist."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
LABELS_OF: Final = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)")
MATCHERS: Final = re.compile(r"(\w+)\s*\{([^{}]*)\}")
RANGE: Final = re.compile(r"\[[^\]]*\]")
WORD: Final = re.compile(r"(?<![\w.])[A-Za-z_:][\w:]*")
SPOKEN: Final = frozenset(
    {
        *("sum", "avg", "min", "max", "count", "by", "without", "and", "or", "unless", "vector"),
        *("on", "ignoring", "group_left", "group_right"),
        *("rate", "increase", "changes", "histogram_quantile"),
    }
)
"""The language's own words, as far as they are used here."""


class Spoken(msgspec.Struct, frozen=True):
    """What an expression speaks of."""

    metrics: frozenset[str]
    labels: frozenset[str]
    """Labels that group or join."""
    matchers: tuple[tuple[str, str], ...]
    """Metric and label, for each label that a metric is chosen by."""


def spoken_of(expr: str) -> Spoken:
    """Return the metrics of an expression and their labels."""
    bare = RANGE.sub("", STRING.sub("", expr))
    matchers = [
        (metric, label)
        for metric, inside in MATCHERS.findall(bare)
        for label in WORD.findall(inside)
    ]
    labels = [label for inside in LABELS_OF.findall(bare) for label in WORD.findall(inside)]
    rest = LABELS_OF.sub("", MATCHERS.sub(r"\1", bare))
    metrics = frozenset(WORD.findall(rest)) - SPOKEN
    return Spoken(metrics, frozenset(labels), tuple(matchers))


def unknown(expr: str, exported: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield what the expression speaks of and nobody exports.

    ``exported`` has the label names of each sample's name.
    """
    spoken = spoken_of(expr)
    for metric in sorted(spoken.metrics - exported.keys()):
        yield metric
    for metric, label in spoken.matchers:
        if label not in exported.get(metric, ()):
            yield f"{metric}{{{label}}}"
    there = {label for metric in spoken.metrics for label in exported.get(metric, ())}
    for label in sorted(spoken.labels - there):
        yield f"label {label}"
