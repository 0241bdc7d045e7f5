"""The orders a list of jobs may be in. What compares equal stays in the order of the numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final

from eaas.lifecycle import ENDED, JobState
from eaas.views import JobView
from eaas_tui.model.format import gpus, run_s

DEFAULT: Final = "order"
"""The controller's own: on nodes by number, then in line, then what ended, the newest first."""

Key = Callable[[JobView], str | float | None]
Place = tuple[Any, ...]
"""Where a job stands by one order; two places of the same order can be compared."""

_STATE_ORDER: Final[Mapping[str, int]] = MappingProxyType(
    {state: place for place, state in enumerate(JobState)}
)

KEYS: Final[Mapping[str, Key]] = MappingProxyType(
    {
        "id": attrgetter("id"),
        "name": lambda job: None if job.name is None else job.name.casefold(),
        "user": lambda job: job.user.casefold(),
        "state": lambda job: _STATE_ORDER.get(job.state, len(_STATE_ORDER)),
        "pool": attrgetter("pool"),
        "queue": lambda job: f"{job.pool}/{job.queue}",
        "position": attrgetter("position"),
        "priority": lambda job: -job.priority,
        "gpus": lambda job: -gpus(job),
        "node": attrgetter("node"),
        "attempt": attrgetter("attempt"),
        "age": attrgetter("created_at"),
        "started": attrgetter("started_at"),
        "ended": attrgetter("finished_at"),
        "reason": lambda job: None if job.reason is None else job.reason.text,
    }
)
"""What each column sorts by, ascending; ``time`` and ``order`` come beside these."""

SORTS: Final = (DEFAULT, *KEYS, "time")


def ordered(
    jobs: Iterable[JobView], sort: str = DEFAULT, *, now: float = 0.0, reverse: bool = False
) -> list[JobView]:
    """Return the jobs in that order; a job without the value comes last, in reverse too.

    ``now`` is Unix seconds, for sorting by the time that jobs have run. A sort that nobody knows
    is the default one.
    """
    if sort == "time":
        return _by(jobs, lambda job: run_s(job, now), reverse=reverse)
    key = KEYS.get(sort)
    if key is None:
        listed = _as_the_controller(jobs)
        return listed[::-1] if reverse else listed
    return _by(jobs, key, reverse=reverse)


def place_of(sort: str = DEFAULT, *, reverse: bool = False) -> Callable[[JobView], Place] | None:
    """Return what tells a job's place: ascending, these are ``ordered``, or its reverse if asked.

    None where places change by themselves, as those of the time that jobs have run.
    """
    if sort == "time":
        return None
    key = KEYS.get(sort)
    if key is None:
        return _place_at_the_controller
    sign = -1 if reverse else 1

    def place(job: JobView) -> Place:
        value = key(job)
        return (1, 0, sign * job.id) if value is None else (1 - sign, value, sign * job.id)

    return place


def merged(
    many: Sequence[JobView],
    few: Sequence[JobView],
    sort: str = DEFAULT,
    *,
    now: float = 0.0,
    reverse: bool = False,
) -> list[JobView]:
    """Return both lists as one in that order, which each of them is in already.

    Costs some comparisons for each of the few, however many the others are.
    """

    def follows(other: JobView, job: JobView) -> bool:
        return ordered((other, job), sort, now=now, reverse=reverse)[0] is job

    listed: list[JobView] = []
    at = 0
    for job in few:
        low, high = at, len(many)
        if low < high and follows(many[low], job):
            high = low
        while low < high:
            middle = (low + high) // 2
            if follows(many[middle], job):
                high = middle
            else:
                low = middle + 1
        listed += many[at:low]
        listed.append(job)
        at = low
    listed += many[at:]
    return listed


def _by(jobs: Iterable[JobView], key: Key, *, reverse: bool) -> list[JobView]:
    by_number = sorted(jobs, key=attrgetter("id"))
    pairs = [(key(job), job) for job in by_number]
    known = [pair for pair in pairs if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=reverse)  # type: ignore[arg-type,return-value]
    without = [job for value, job in pairs if value is None]
    return [job for _, job in known] + without


def _as_the_controller(jobs: Iterable[JobView]) -> list[JobView]:
    placed: list[JobView] = []
    in_line: list[JobView] = []
    not_yet: list[JobView] = []
    ended: list[JobView] = []
    for job in jobs:
        if job.state in ENDED:
            ended.append(job)
        elif job.state != JobState.PENDING:
            placed.append(job)
        elif job.position is not None:
            in_line.append(job)
        else:
            not_yet.append(job)
    placed.sort(key=attrgetter("id"))
    in_line.sort(key=attrgetter("pool", "position", "id"))
    not_yet.sort(key=attrgetter("pool", "id"))
    ended.sort(key=lambda job: (job.finished_at or "", job.id), reverse=True)
    return [*placed, *in_line, *not_yet, *ended]


class _Newest(str):
    """A time that comes before what is earlier."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


def _place_at_the_controller(job: JobView) -> Place:
    if job.state in ENDED:
        return (3, _Newest(job.finished_at or ""), -job.id)
    if job.state != JobState.PENDING:
        return (0, job.id)
    if job.position is not None:
        return (1, job.pool, job.position, job.id)
    return (2, job.pool, job.id)
