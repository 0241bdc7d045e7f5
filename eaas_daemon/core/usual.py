"""How long the jobs of one user and image usually run: what is remembered of those that succeeded.

A small memory, the same after a restart as far as the store still knows: it serves estimates only.
"""

from statistics import median
from typing import Final, NamedTuple

from eaas.ids import PoolName, UserName
from eaas.lifecycle import JobState
from eaas_daemon.core.model import Job

MIN_RUNS: Final = 3
"""Fewer say nothing."""
MAX_RUNS: Final = 20
"""So many of the last ones count."""
MAX_KINDS: Final = 1000
"""Kinds in memory; those that ran last stay."""


class RunKind(NamedTuple):
    """Jobs that are taken to run about as long as each other."""

    pool: PoolName
    user: UserName
    image: str | None


Runs = dict[RunKind, tuple[float, ...]]
"""How many seconds the last runs of each kind took, the newest last."""


def kind_of(job: Job) -> RunKind:
    """Return with which jobs this one is compared."""
    return RunKind(job.pool, job.user, job.spec.image)


def length_s(job: Job) -> float | None:
    """Return how many seconds the job ran, if it succeeded."""
    last = job.attempt
    if job.state is not JobState.SUCCEEDED or last is None:
        return None
    if last.started_at is None or last.finished_at is None:
        return None
    return max(0.0, last.finished_at - last.started_at)


def with_run(runs: Runs, job: Job) -> Runs:
    """Return the memory as it is once the job has ended; who ran longest ago is forgotten."""
    took_s = length_s(job)
    if took_s is None:
        return runs
    kind, kept = kind_of(job), dict(runs)
    kept[kind] = (*kept.pop(kind, ()), took_s)[-MAX_RUNS:]
    if len(kept) > MAX_KINDS:
        del kept[next(iter(kept))]
    return kept


def usual_s(runs: Runs, job: Job, ran_s: float = 0.0) -> float | None:
    """Return how many seconds such a job usually runs that has run for ``ran_s`` already.

    It is the median of those that ran longer than that; None where too few runs are known, or none
    that long.
    """
    known = runs.get(kind_of(job), ())
    longer = [took_s for took_s in known if took_s > ran_s]
    return median(longer) if longer and len(known) >= MIN_RUNS else None
