"""A public workload trace in the Standard Workload Format, as jobs for a pool of cards.

The format (Feitelson and others; the Parallel Workloads Archive has dozens of traces in it) is one
line of 18 numbers a job, -1 where something is not known, and a header of lines with ``;``.
Taken are the submit time, the run time, the processors (those asked for, else those given), the
time asked for and the user. What a trace says of waiting is left out: that was another scheduler's.
"""

import gzip
import zlib
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple, Self

from bench.simulate.workload import (
    SOME_MONDAY,
    PoolSize,
    Submission,
    Workload,
    from_zero,
)
from eaas.errors import EaasError

FIELDS: Final = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
)

DAY_S: Final = 86400.0


class BadTrace(EaasError):
    """The file is no trace in the Standard Workload Format."""

    code = "bad_trace"


class Record(NamedTuple):
    """What is taken of one line. None is not known."""

    submit_s: float
    run_s: float | None
    processors: int | None
    asked_s: float | None
    user: int | None

    @classmethod
    def of(cls, fields: Mapping[str, float]) -> Self:
        """Return the record of a line's fields."""
        known = {name: value for name, value in fields.items() if value >= 0}
        processors = known.get("requested processors") or known.get("allocated processors")
        user = known.get("user")
        return cls(
            submit_s=fields["submit time"],
            run_s=known.get("run time"),
            processors=int(processors) if processors else None,
            asked_s=known.get("requested time") or None,
            user=None if user is None else int(user),
        )


class Trace(NamedTuple):
    """A whole file."""

    header: Mapping[str, str]
    records: tuple[Record, ...]


def read_trace(path: Path) -> Trace:
    """Return what the file holds; one that ends in ``.gz`` is unpacked on the way.

    Raises BadTrace with one sentence that names the file, and the line where one is wrong.
    """
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8", errors="replace") as packed:
                return _parsed(path.name, packed)
        with path.open(encoding="utf-8", errors="replace") as lines:
            return _parsed(path.name, lines)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadTrace(f"{path} can't be read: {why}") from error


def _parsed(name: str, lines: Iterable[str]) -> Trace:
    header: dict[str, str] = {}
    records = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(";"):
            key, colon, value = text.lstrip("; \t").partition(":")
            if colon:
                header.setdefault(key.strip(), value.strip())
        elif text:
            records.append(_record(f"{name}, line {number}", text))
    if not records:
        raise BadTrace(f"{name} holds no jobs; a trace has one line of 18 numbers for each")
    return Trace(header, tuple(records))


def _record(where: str, text: str) -> Record:
    words = text.split()
    if len(words) != len(FIELDS):
        raise BadTrace(
            f"{where} has {len(words)} fields; a job in the Standard Workload Format has 18"
        )
    fields = {}
    for position, (name, word) in enumerate(zip(FIELDS, words, strict=True), 1):
        try:
            fields[name] = float(word)
        except ValueError:
            fields[name] = float("nan")
        if not isfinite(fields[name]):
            raise BadTrace(f"{where}: field {position}, the {name}, is {word!r}, not a number")
    if fields["submit time"] < 0:
        raise BadTrace(f"{where}: field 2, the submit time, is {words[1]}; it must be 0 or later")
    return Record.of(fields)


def as_workload(
    trace: Trace, name: str, pool: PoolSize, *, processors_a_card: float | None = None
) -> Workload:
    """Return the trace's jobs, its machine scaled down or up to the pool.

    Unless it is given, as many processors are a card as make the whole machine (the header's
    ``MaxProcs``, else the largest job) the whole pool. A job gets the nearest whole number of
    cards, at least one. A time asked for that the job outran in the trace is taken as how long it
    ran, since it was let run there.
    """
    ran = [each for each in trace.records if each.run_s is not None and each.processors]
    machine = _machine(trace)
    scale = processors_a_card or machine / max(pool.all_cards, 1)
    jobs = sorted((_submission(each, scale) for each in ran), key=lambda job: job.at_s)
    notes = [
        f"its machine has {machine:,} processors: {scale:.4g} of them are one of "
        f"{pool.all_cards:,} cards, each job gets the nearest whole number, at least one"
    ]
    if never := len(trace.records) - len(ran):
        notes.append(f"left out: {never:,} without a run time or processors")
    header = trace.header
    begins_at = _number(header.get("UnixStartTime"))
    begins_at = begins_at + _number(header.get("TimeZone")) if begins_at else SOME_MONDAY
    empty = Workload(title=name, submissions=(), begins_at=begins_at, notes=tuple(notes))
    return from_zero(empty, tuple(jobs))


def _machine(trace: Trace) -> int:
    largest = max((each.processors or 0 for each in trace.records), default=0)
    return int(_number(trace.header.get("MaxProcs"))) or max(largest, 1)


def _number(text: str | None) -> float:
    """Return the number a header's line begins with, or 0."""
    try:
        value = float((text or "").split()[0])
    except (ValueError, IndexError):
        return 0.0
    return value if isfinite(value) else 0.0


def _submission(record: Record, scale: float) -> Submission:
    length_s = record.run_s or 0.0
    return Submission(
        user="unknown" if record.user is None else f"u{record.user}",
        at_s=record.submit_s,
        cards=max(1, int((record.processors or 0) / scale + 0.5)),
        length_s=length_s,
        timeout_s=None if record.asked_s is None else max(record.asked_s, length_s),
    )


def first(workload: Workload, *, jobs: int | None, days: float | None) -> Workload:
    """Return the workload's begin: so many jobs, or those of so many days."""
    kept = [each for each in workload.submissions if days is None or each.at_s < days * DAY_S]
    return from_zero(workload, tuple(kept[:jobs]))
