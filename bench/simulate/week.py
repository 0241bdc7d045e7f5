"""A made-up week of a team: people with habits, days and nights, lengths from minutes to days.

What is taken from real clusters: most jobs want one card; lengths are log-normal, so that a few
jobs are most of the work; people come in bursts and by day; the time they promise is a round
number, mostly far too long and now and then too short. One seed gives one week, the same anywhere.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil
from random import Random
from typing import Final, NamedTuple

import msgspec

from bench.simulate.workload import (
    SOME_MONDAY,
    PoolSize,
    Submission,
    Workload,
    from_zero,
)

HOUR_S: Final = 3600.0
DAY_S: Final = 86400.0

SHORTEST_S: Final = 20.0
LONGEST_S: Final = 4 * DAY_S

LOAD: Final = 0.95
"""Of all card-seconds until the last submission, how much is asked for."""

PROMISED_S: Final = (
    *(m * 60.0 for m in (10, 15, 30)),
    *(h * HOUR_S for h in (1, 2, 4, 6, 8, 12)),
    *(d * DAY_S for d in (1, 2, 3, 5, 7)),
)
"""The timeouts people type."""

WEEKEND: Final = 0.35
"""What a Saturday or Sunday brings, as a share of a weekday."""


NIGHT: Final = 0.08
"""What an hour outside of the user's own brings, as a share of one of these."""

TOO_SHORT: Final = 0.06
"""Of the promises, how many are made shorter than the job; rounding up saves some."""


class Habit(msgspec.Struct, frozen=True, kw_only=True):
    """How one user works."""

    user: str
    share: float
    """Of all jobs, relative to the others'."""
    sizes: dict[int, float]
    """Cards to how often, relative."""
    minutes: float
    """The median length."""
    spread: float = 1.3
    """Sigma of the logarithm of the length."""
    burst: int = 1
    """How many jobs are submitted together, in the mean."""
    hours: tuple[int, int] = (9, 19)
    """When most of it is submitted; (0, 24) knows no night."""
    promises: float = 0.6
    """The share of jobs with a timeout."""
    cpus: int = 4
    """For each card, or for a job without one."""


HABITS: Final = (
    # sweeps: many small jobs at once
    Habit(user="ana", share=26, sizes={1: 1}, minutes=45, burst=24, promises=0.9),
    # trains large models: few jobs, and most of the work
    Habit(user="ben", share=4, sizes={4: 3, 8: 2}, minutes=420, spread=1.1, promises=0.5),
    # tries things out, and looks at the screen meanwhile
    Habit(user="chi", share=18, sizes={1: 9, 2: 1}, minutes=6, spread=1.0, promises=0.3),
    # leaves work for the night
    Habit(user="dan", share=8, sizes={2: 3, 4: 1}, minutes=240, burst=4, hours=(18, 23)),
    # prepares data, mostly without a card
    Habit(user="eva", share=14, sizes={0: 3, 1: 2}, minutes=25, burst=6, cpus=8),
    # never knows how long it will take
    Habit(user="fay", share=12, sizes={1: 4, 2: 1}, minutes=90, spread=1.6, hours=(13, 24)),
    # a robot that tests what was committed
    Habit(user="gus", share=12, sizes={0: 1, 1: 6}, minutes=12, spread=0.7, hours=(0, 24)),
    # fine-tunes, at every size, and hardly ever promises
    Habit(user="hal", share=6, sizes={1: 3, 2: 3, 4: 2, 8: 1}, minutes=150, burst=2, promises=0.2),
)


class Draft(NamedTuple):
    """A job before the lengths are scaled to the load that is wanted."""

    at_s: float
    habit: Habit
    cards: int
    length_s: float
    promised_s: float | None


def week(pool: PoolSize, *, seed: int, jobs: int, days: float, load: float = LOAD) -> Workload:
    """Return that many jobs over that many days, from a Monday on.

    All lengths are scaled by one factor so that they come to about ``load`` of the pool's cards;
    what the shortest and the longest length and the timeouts cut off is not made up for.
    """
    chance = Random(seed)
    counts = apportioned([habit.share for habit in HABITS], jobs)
    drafts = [
        draft
        for habit, count in zip(HABITS, counts, strict=True)
        for draft in _drafts(chance, habit, count, days, pool)
    ]
    asked = sum(draft.cards * draft.length_s for draft in drafts)
    factor = load * pool.all_cards * days * DAY_S / asked if asked else 1.0
    made = sorted((_made(draft, factor) for draft in drafts), key=lambda job: job.at_s)
    what = "a made-up week" if days == 7 else f"{days:g} made-up days"
    empty = Workload(title=f"{what}, seed {seed}", submissions=(), begins_at=SOME_MONDAY)
    return from_zero(empty, tuple(made))


def apportioned(shares: Sequence[float], count: int) -> list[int]:
    """Return whole numbers in the ratio of the shares that add up to the count."""
    ends = [round(count * part / sum(shares)) for part in accumulate(shares)]
    return [end - begin for begin, end in pairwise([0, *ends])]


def _drafts(
    chance: Random, habit: Habit, count: int, days: float, pool: PoolSize
) -> Iterator[Draft]:
    """Yield the user's jobs, burst by burst: those of one burst are of one kind."""
    hours = list(accumulate(_rhythm(habit, days)))
    while count > 0:
        more = int(chance.expovariate(1 / (habit.burst - 1))) if habit.burst > 1 else 0
        at_s = _moment(chance, hours, days)
        cards = chance.choices(list(habit.sizes), list(habit.sizes.values()))[0]
        usual_s = habit.minutes * 60 * chance.lognormvariate(0, habit.spread)
        promised_s = None
        if chance.random() < habit.promises:
            promised_s = usual_s * _overestimate(chance)
        for _ in range(min(1 + more, count)):
            length_s = usual_s * chance.lognormvariate(0, 0.25)
            yield Draft(round(at_s), habit, min(cards, pool.cards), length_s, promised_s)
            at_s = min(at_s + chance.uniform(1, 20), days * DAY_S)
        count -= 1 + more


def _rhythm(habit: Habit, days: float) -> list[float]:
    """Return how much is submitted in each hour, relative to the others."""
    begin, end = habit.hours
    by_day = end - begin < 24
    weights = []
    for hour in range(ceil(days * 24)):
        weight = 1.0 if begin <= hour % 24 < end else NIGHT
        if by_day and hour // 24 % 7 >= 5:
            weight *= WEEKEND
        weights.append(weight)
    return weights


def _moment(chance: Random, hours: Sequence[float], days: float) -> float:
    """Return a time; ``hours`` are the sums of the hours' weights so far."""
    hour = bisect_left(hours, chance.random() * hours[-1])
    return min((hour + chance.random()) * HOUR_S, days * DAY_S)


def _overestimate(chance: Random) -> float:
    """Return how many times its length a user promises."""
    if chance.random() < TOO_SHORT:
        return chance.uniform(0.3, 0.9)
    return float(1.3 * 10 ** chance.uniform(0, 1))


def _made(draft: Draft, factor: float) -> Submission:
    """Return the job at its final length, with a timeout such as people type."""
    length_s = round(min(max(draft.length_s * factor, SHORTEST_S), LONGEST_S))
    timeout_s = None
    if draft.promised_s is not None:
        nearest = bisect_left(PROMISED_S, draft.promised_s * factor)
        timeout_s = PROMISED_S[min(nearest, len(PROMISED_S) - 1)]
    return Submission(
        user=draft.habit.user,
        at_s=draft.at_s,
        cards=draft.cards,
        cpus=draft.habit.cpus * max(draft.cards, 1),
        length_s=length_s,
        timeout_s=timeout_s,
    )
