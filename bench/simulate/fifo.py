"""Plain first come, first served, to compare with: nothing overtakes the head of the line.

It has the same nodes as the product's scheduler, gives a released card back after the same time,
and chooses among nodes in the same way: the one with the fewest free cards left over, then the one
with the most free CPUs, then the first by name. Only the order differs.
"""

import heapq
from collections import deque

import msgspec

from bench.simulate.workload import CLEAN_S, Decided, PoolSize, Run, Submission, Workload


class Room(msgspec.Struct):
    """What a node has free."""

    number: int
    cards: list[int]
    """In order."""
    cpus: int

    def fits(self, job: Submission) -> bool:
        """Tell whether the job could start here now."""
        return job.cards <= len(self.cards) and job.cpus <= self.cpus


class Back(msgspec.Struct, order=True, frozen=True):
    """What comes back to a node; the earliest is the least."""

    at_s: float
    serial: int
    node: int
    cards: tuple[int, ...]
    cpus: int


def fifo(workload: Workload, pool: PoolSize) -> Decided:
    """Return the runs as strict FIFO makes them; it refuses nothing."""
    jobs = workload.submissions
    rooms = [Room(n, list(range(pool.cards)), pool.cpus) for n in range(pool.nodes)]
    line: deque[int] = deque()
    coming: list[Back] = []
    runs: list[Run] = []
    arrived = 0
    while arrived < len(jobs) or coming:
        times = [coming[0].at_s] if coming else []
        if arrived < len(jobs):
            times.append(jobs[arrived].at_s)
        now = min(times)
        while coming and coming[0].at_s == now:
            _give_back(rooms, heapq.heappop(coming))
        while arrived < len(jobs) and jobs[arrived].at_s == now:
            line.append(arrived)
            arrived += 1
        while line and (room := _best(rooms, jobs[line[0]])) is not None:
            run = _start(room, line.popleft(), jobs, now)
            runs.append(run)
            cpus = jobs[run.of].cpus
            for back in (
                Back(run.ended_s, 2 * run.of, run.node, (), cpus),
                Back(run.ended_s + CLEAN_S, 2 * run.of + 1, run.node, run.cards, 0),
            ):
                heapq.heappush(coming, back)
    return sorted(runs, key=lambda run: (run.ended_s, run.of)), []


def _best(rooms: list[Room], job: Submission) -> Room | None:
    return min(
        (room for room in rooms if room.fits(job)),
        key=lambda room: (len(room.cards) - job.cards, -room.cpus, room.number),
        default=None,
    )


def _start(room: Room, of: int, jobs: tuple[Submission, ...], now: float) -> Run:
    job = jobs[of]
    cards = tuple(room.cards[: job.cards])
    del room.cards[: job.cards]
    room.cpus -= job.cpus
    return Run(of=of, node=room.number, cards=cards, began_s=now, ended_s=now + job.ran_s)


def _give_back(rooms: list[Room], back: Back) -> None:
    room = rooms[back.node]
    room.cards = sorted([*room.cards, *back.cards])
    room.cpus += back.cpus
