"""Writes families as text. What was counted live, prometheus_client's own writer writes.

For what is read from the state that one takes too long: it checks every name and label of every
line anew, which for 800 cards is longer than a scrape may take, and its objects wake the garbage
collector. Here names are plain, and there are no exemplars or timestamps. What is written is the
same, but for the order of labels.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from prometheus_client.utils import floatToGoString

from eaas_daemon.metrics.family import Family

ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
HELP_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n"})
ODD: Final = re.compile(r'["\\\n]')
ENDINGS: Final[Mapping[str, str]] = {"counter": "_total", "info": "_info"}
"""What samples have behind their family's name; in the plain format the family has it too."""

_number: Final[Callable[[float], str]] = floatToGoString


def encode(families: Iterable[Family], *, openmetrics: bool) -> str:
    """Return the families in the OpenMetrics text format 1.0.0, or in the plain one 0.0.4.

    OpenMetrics' last line, ``# EOF``, is for whoever knows that this was all.
    """
    heading = _openmetrics_heading if openmetrics else _plain_heading
    parts: list[str] = []
    for family in families:
        parts.extend(heading(family))
        parts.extend(_lines(family))
    return "".join(parts)


def _plain_heading(family: Family) -> Iterator[str]:
    name = family.name + ENDINGS.get(family.kind, "")
    kind = "gauge" if family.kind == "info" else family.kind
    yield f"# HELP {name} {family.about.translate(HELP_ESCAPES)}\n"
    yield f"# TYPE {name} {kind}\n"


def _openmetrics_heading(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.about.translate(ESCAPES)}\n"
    yield f"# TYPE {family.name} {family.kind}\n"
    if family.unit:
        yield f"# UNIT {family.name} {family.unit}\n"


def _lines(family: Family) -> Iterator[str]:
    labels = ",".join(f'{label}="%s"' for label in family.labels)
    begin = family.name + ENDINGS.get(family.kind, "") + (f"{{{labels}}}" if labels else "")
    for values, number in family.rows:
        if number is not None:
            yield f"{begin % _escaped(values)} {_number(number)}\n"


def _escaped(values: tuple[str, ...]) -> tuple[str, ...]:
    if not ODD.search("".join(values)):
        return values
    return tuple(value.translate(ESCAPES) for value in values)
