"""What is asked of a simulated pool: how large it is, and who submits what at which moment."""

import calendar
import time
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

SOME_MONDAY: Final = float(calendar.timegm((2026, 1, 5, 0, 0, 0)))
"""Where a workload begins that has no dates of its own."""

CPUS_A_CARD: Final = 8
"""A simulated node's CPUs, for each of its cards."""

CLEAN_S: Final = 2.0
"""How long a card is out of use after its job: until a beat of its node tells that it is clean."""


class PoolSize(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are all alike."""

    nodes: int = 20
    cards: int = 8
    """On each node."""

    @property
    def cpus(self) -> int:
        """Return the CPUs of one node."""
        return CPUS_A_CARD * self.cards

    @property
    def all_cards(self) -> int:
        """Return the cards of all nodes together."""
        return self.nodes * self.cards


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A job somebody submits, and what it will turn out to be. Times are seconds."""

    user: str
    at_s: float
    """Since the workload's begin."""
    cards: int
    """All of one node; 0 needs CPUs only."""
    cpus: int = 1
    length_s: float
    """How long it runs if nobody stops it. The scheduler is not told."""
    timeout_s: float | None = None
    """What its user promised; None promises nothing."""

    @property
    def ran_s(self) -> float:
        """Return how long it runs: until it is done, or its timeout ends it."""
        return self.length_s if self.timeout_s is None else min(self.length_s, self.timeout_s)


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """Submissions in the order of their times, the first at 0."""

    title: str
    submissions: tuple[Submission, ...]
    begins_at: float
    """Unix seconds of the first submission, by the clock of the place: for names of days only."""
    notes: tuple[str, ...] = ()
    """What to know of where it comes from, a sentence each."""

    @property
    def last_s(self) -> float:
        """Return the time of the last submission."""
        return self.submissions[-1].at_s if self.submissions else 0.0

    def load(self, pool: PoolSize) -> float | None:
        """Return the card-seconds asked for, as a share of those there are until the last
        submission; None when that is none.
        """
        there = pool.all_cards * self.last_s
        asked = sum(each.cards * each.ran_s for each in self.submissions)
        return asked / there if there else None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt of a job, on cards of one node. Times are seconds since the workload's begin."""

    of: int
    """Which submission of the workload."""
    node: int
    cards: tuple[int, ...]
    began_s: float
    ended_s: float
    is_whole: bool = True
    """False if it was broken off, so that the job has to run once more."""


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy made of a workload."""

    policy: str
    pool: PoolSize
    workload: Workload
    runs: tuple[Run, ...]
    """In the order of their ends."""
    wall_s: float
    cpu_s: float
    """The time it took to work this out, not what passed in it."""
    refused: tuple[str, ...] = ()
    """Why submissions were not taken, a sentence each."""


Decided = tuple[list[Run], list[str]]
"""The runs, and why submissions were refused."""

Policy = Callable[[Workload, PoolSize], Decided]


def schedule(name: str, policy: Policy, workload: Workload, pool: PoolSize) -> Schedule:
    """Let the policy work on the workload, and look how long that takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    runs, refused = policy(workload, pool)
    return Schedule(
        policy=name,
        pool=pool,
        workload=workload,
        runs=tuple(runs),
        wall_s=time.perf_counter() - wall,
        cpu_s=time.process_time() - cpu,
        refused=tuple(refused),
    )


def fitting(workload: Workload, pool: PoolSize) -> Workload:
    """Leave out the jobs that no node could ever run, and say how many."""
    fits = tuple(
        each for each in workload.submissions if each.cards <= pool.cards and each.cpus <= pool.cpus
    )
    left_out = len(workload.submissions) - len(fits)
    if not left_out:
        return workload
    note = f"left out: {left_out:,} that ask for more than a whole node"
    return replace(from_zero(workload, fits), notes=(*workload.notes, note))


def from_zero(workload: Workload, submissions: tuple[Submission, ...]) -> Workload:
    """Return the workload with these submissions instead, counted from the first of them."""
    zero = submissions[0].at_s if submissions else 0.0
    moved = tuple(replace(each, at_s=each.at_s - zero) for each in submissions)
    return replace(workload, submissions=moved, begins_at=workload.begins_at + zero)


def squeezed(workload: Workload, pool: PoolSize, load: float) -> Workload:
    """Return the workload with its submissions closer together, or farther apart, so that it asks
    for this share of the cards' time. Its days are no days any more.
    """
    is_now = workload.load(pool)
    if not is_now:
        return workload
    factor = is_now / load
    moved = tuple(replace(each, at_s=each.at_s * factor) for each in workload.submissions)
    note = f"all submit times are multiplied by {factor:.3g} for the load that was asked for"
    return replace(workload, submissions=moved, notes=(*workload.notes, note))
