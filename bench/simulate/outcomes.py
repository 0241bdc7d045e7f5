"""What a schedule means for the people who wait, as numbers. All times are seconds.

- *utilisation*: the card-seconds of all runs that lie before the last submission, as a share of
  ``cards x last submission``. What runs on after that is left out, as nobody queues for it.
- *makespan*: from the first submission to the last end.
- *wait* of a job: from its submission to its first start.
- *bounded slowdown* of a job: ``max(1, (end - submission) / max(length, 10))``, where the length
  is how long it runs once, and the end that of its last run. Below ten seconds of length a wait
  of some seconds would look like a catastrophe.
- *p95*: the smallest value that at least 95 % of the jobs do not exceed.
- *starved*: a job that waited more than 20 times the median wait of the jobs with as many cards
  (a median below half an hour counts as half an hour), or that never started. This tells of one
  job among its like; where all large jobs wait for days, the lines by size tell it.

Jobs that never started have no wait and are in no mean; they are counted beside.
"""

from collections.abc import Callable, Iterable, Sequence
from math import ceil
from statistics import fmean, median
from typing import Final, TypeVar

import msgspec

from bench.simulate.workload import Schedule, Submission

K = TypeVar("K")

THRESHOLD_S: Final = 10.0
"""Shorter jobs count as this long in the bounded slowdown."""

STARVED_TIMES: Final = 20
LEAST_MEDIAN_S: Final = 1800.0


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one job."""

    job: Submission
    wait_s: float | None
    """None if it never started."""
    slowdown: float | None
    """Bounded; None if it never came to its end."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How it went for some jobs together. None where none of them started, or ended."""

    jobs: int
    card_hours: float
    """What they ask for."""
    mean_wait_s: float | None
    p95_wait_s: float | None
    mean_slowdown: float | None
    p95_slowdown: float | None


def utilisation(schedule: Schedule) -> float | None:
    """Return the share of the cards' time that was used; None where there was no time."""
    until_s = schedule.workload.last_s
    there = schedule.pool.all_cards * until_s
    used = sum(
        len(run.cards) * (min(run.ended_s, until_s) - min(run.began_s, until_s))
        for run in schedule.runs
    )
    return used / there if there else None


def makespan_s(schedule: Schedule) -> float:
    """Return how long it took from the first submission until everything was over."""
    return max((run.ended_s for run in schedule.runs), default=0.0)


def broken_off_s(schedule: Schedule) -> float:
    """Return the card-seconds of runs that were broken off and had to be done again."""
    return sum(
        len(run.cards) * (run.ended_s - run.began_s) for run in schedule.runs if not run.is_whole
    )


def outcomes(schedule: Schedule) -> tuple[Outcome, ...]:
    """Return what became of each job, in the order of the workload."""
    began: dict[int, float] = {}
    ended: dict[int, float] = {}
    for run in schedule.runs:
        began[run.of] = min(run.began_s, began.get(run.of, run.began_s))
        if run.is_whole:
            ended[run.of] = run.ended_s
    return tuple(
        Outcome(
            job=job,
            wait_s=began[of] - job.at_s if of in began else None,
            slowdown=_slowdown(job, ended[of]) if of in ended else None,
        )
        for of, job in enumerate(schedule.workload.submissions)
    )


def _slowdown(job: Submission, ended_s: float) -> float:
    return max(1.0, (ended_s - job.at_s) / max(job.ran_s, THRESHOLD_S))


def summary(of: Sequence[Outcome]) -> Summary:
    """Return how it went for these jobs together."""
    waits = [each.wait_s for each in of if each.wait_s is not None]
    slowdowns = [each.slowdown for each in of if each.slowdown is not None]
    return Summary(
        jobs=len(of),
        card_hours=sum(each.job.cards * each.job.ran_s for each in of) / 3600,
        mean_wait_s=fmean(waits) if waits else None,
        p95_wait_s=p95(waits),
        mean_slowdown=fmean(slowdowns) if slowdowns else None,
        p95_slowdown=p95(slowdowns),
    )


def p95(values: Iterable[float]) -> float | None:
    """Return the smallest value that at least 95 % of them do not exceed; None of none."""
    ranked = sorted(values)
    return ranked[ceil(0.95 * len(ranked)) - 1] if ranked else None


def starved(of: Sequence[Outcome]) -> list[Outcome]:
    """Return the jobs that waited far longer than others of their size, or for ever."""
    medians = {
        cards: median([each.wait_s for each in alike if each.wait_s is not None] or [0.0])
        for cards, alike in grouped(of, lambda each: each.job.cards).items()
    }
    return [
        each
        for each in of
        if each.wait_s is None
        or each.wait_s > STARVED_TIMES * max(medians[each.job.cards], LEAST_MEDIAN_S)
    ]


def grouped(of: Sequence[Outcome], key: Callable[[Outcome], K]) -> dict[K, list[Outcome]]:
    """Return the jobs by that key, each group in the order of the workload."""
    groups: dict[K, list[Outcome]] = {}
    for each in of:
        groups.setdefault(key(each), []).append(each)
    return groups
