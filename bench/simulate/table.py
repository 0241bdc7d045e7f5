"""The table that a simulation prints: the policies beside each other, for all, by size, by user."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from bench.simulate.outcomes import (
    Outcome,
    broken_off_s,
    grouped,
    makespan_s,
    outcomes,
    starved,
    summary,
    utilisation,
)
from bench.simulate.workload import Schedule, Workload

MOST_USERS: Final = 12
"""Users with a line of their own; the rest, who ask for the least, share one."""

DAY_S: Final = 86400.0
UNKNOWN: Final = "-"
WIDTH: Final = 10
NAMES: Final = 12
"""The width of users' and sizes' names."""
LONG: Final = 24
"""The width of what the first table's figures are called."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule with what became of each job, worked out once."""

    schedule: Schedule
    outcomes: tuple[Outcome, ...]


def tables(schedules: Sequence[Schedule]) -> Iterator[str]:
    """Yield the lines of both tables; the schedules are of one workload."""
    told = [Told(schedule=each, outcomes=outcomes(each)) for each in schedules]
    yield from _whole(told)
    yield ""
    yield from _people(told)


def _whole(told: Sequence[Told]) -> Iterator[str]:
    yield _row("", [each.schedule.policy for each in told], LONG)
    schedules = [each.schedule for each in told]
    yield _row("utilisation", [_percent(utilisation(each)) for each in schedules], LONG)
    yield _row("makespan", [short(makespan_s(each)) for each in schedules], LONG)
    yield _row("longest wait", [short(_longest(each.outcomes)) for each in told], LONG)
    yield _row("starved", [f"{len(starved(each.outcomes)):,}" for each in told], LONG)
    late = [sum((one.wait_s or 0) > DAY_S for one in each.outcomes) for each in told]
    yield _row("waited over a day", [f"{count:,}" for count in late], LONG)
    yield _row("never started", [f"{_never(each.outcomes):,}" for each in told], LONG)
    if any(each.refused for each in schedules):
        yield _row("refused", [f"{len(each.refused):,}" for each in schedules], LONG)
    if any(broken_off_s(each) for each in schedules):
        lost = [f"{broken_off_s(each) / 3600:,.0f}" for each in schedules]
        yield _row("card-hours done again", lost, LONG)
    yield _row("CPU time to decide", [f"{each.cpu_s:.2f} s" for each in schedules], LONG)


def _longest(of: Iterable[Outcome]) -> float | None:
    return max((each.wait_s for each in of if each.wait_s is not None), default=None)


def _never(of: Iterable[Outcome]) -> int:
    return sum(each.wait_s is None for each in of)


def _people(told: Sequence[Told]) -> Iterator[str]:
    """Yield a line each for all jobs, every size and every user."""
    columns = ("mean wait", "p95 wait", "mean slowdown", "p95 slowdown")
    span = WIDTH * len(told)
    yield _row("", ["jobs", "card-h"], NAMES) + "".join(f"{name:>{span}}" for name in columns)
    policies = [each.schedule.policy for each in told]
    yield _row("", ["", "", *policies * len(columns)], NAMES)
    yield _line("all", [each.outcomes for each in told])
    sizes = [grouped(each.outcomes, lambda one: one.job.cards) for each in told]
    for cards in sorted({*sizes[0]}):
        name = "1 card" if cards == 1 else f"{cards} cards" if cards else "CPU only"
        yield _line(name, [groups[cards] for groups in sizes])
    shown = {*ranked_users(told[0].schedule.workload)[:MOST_USERS]}
    rest = len({each.job.user for each in told[0].outcomes}) - len(shown)
    others = f"{rest} others"
    users = [
        grouped(each.outcomes, lambda one: one.job.user if one.job.user in shown else others)
        for each in told
    ]
    for user in sorted(users[0], key=lambda name: (name == others, name)):
        yield _line(user, [groups[user] for groups in users])


def ranked_users(workload: Workload) -> list[str]:
    """Return the users, those first who ask for the most card-seconds, then CPU-seconds."""
    asked: dict[str, tuple[float, float]] = {}
    for job in workload.submissions:
        cards_s, cpus_s = asked.get(job.user, (0.0, 0.0))
        asked[job.user] = (cards_s + job.cards * job.ran_s, cpus_s + job.cpus * job.ran_s)
    return sorted(asked, key=lambda user: ([-part for part in asked[user]], user))


def _line(name: str, groups: Sequence[Sequence[Outcome]]) -> str:
    sums = [summary(group) for group in groups]
    cells = [f"{sums[0].jobs:,}", f"{sums[0].card_hours:,.0f}"]
    cells += [short(each.mean_wait_s) for each in sums]
    cells += [short(each.p95_wait_s) for each in sums]
    cells += [_times(each.mean_slowdown) for each in sums]
    cells += [_times(each.p95_slowdown) for each in sums]
    return _row(name, cells, NAMES)


def _row(name: str, cells: Iterable[str], width: int) -> str:
    return (f"{name:<{width}}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)).rstrip()


def short(seconds: float | None) -> str:
    """Return the time in the largest unit of which there are two, with one digit behind it."""
    if seconds is None:
        return UNKNOWN
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share * 100:.1f} %"


def _times(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
