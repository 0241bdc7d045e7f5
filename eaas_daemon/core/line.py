"""The waiting jobs of every pool in their order, grouped by what they ask for.

Jobs of one queue that ask for the same things get the same verdict, so the scheduler looks at
the first of each group only: its cost grows with the kinds of jobs, not with their number.
"""

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from eaas.ids import JobUid, PoolName
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.model import Job, Queue


class Turn(NamedTuple):
    """A job's place within its queue; smaller goes first."""

    rank: int
    minus_priority: int
    number: int
    uid: JobUid


class PoolTurn(NamedTuple):
    """A job's place within its pool; smaller goes first."""

    minus_queue_priority: int
    turn: Turn


def turn_of(job: Job) -> Turn:
    """Return the job's place within its queue."""
    return Turn(job.rank, -job.priority, job.number, job.uid)


class Line:
    """Who waits, in order. Knows nothing of the jobs but their turns."""

    def __init__(self) -> None:
        self._groups: dict[PoolName, dict[Shape, list[Turn]]] = {}
        self._waiting: dict[str, int] = {}

    def add(self, job: Job) -> Shape:
        """Let the job wait; return the group it has joined."""
        shape = shape_of(job)
        groups = self._groups.setdefault(job.pool, {})
        insort(groups.setdefault(shape, []), turn_of(job))
        self._waiting[job.ref] = self._waiting.get(job.ref, 0) + 1
        return shape

    def remove(self, job: Job) -> None:
        """Take the job out; it must be in, exactly as given."""
        groups = self._groups[job.pool]
        shape = shape_of(job)
        turns = groups[shape]
        index = bisect_left(turns, turn_of(job))
        assert turns[index].uid == job.uid
        del turns[index]
        if not turns:
            del groups[shape]
        self._waiting[job.ref] -= 1

    def still(self) -> "Line":
        """Return who waits now, for somebody who looks while this one goes on."""
        twin = Line()
        twin._waiting = dict(self._waiting)
        for pool, groups in self._groups.items():
            twin._groups[pool] = {shape: list(turns) for shape, turns in groups.items()}
        return twin

    def waiting(self, ref: str) -> int:
        """Return how many jobs wait in the queue."""
        return self._waiting.get(ref, 0)

    def groups(self, pool: PoolName) -> Mapping[Shape, list[Turn]]:
        """Return the pool's groups; each list is in order."""
        return self._groups.get(pool, {})

    def position(self, job: Job, queues: Mapping[str, Queue]) -> int:
        """Return the job's place in its pool, from 1."""
        mine = PoolTurn(-queues[job.ref].priority, turn_of(job))
        ahead = 0
        for shape, turns in self.groups(job.pool).items():
            minus_priority = -queues[shape.ref].priority
            if minus_priority < mine.minus_queue_priority:
                ahead += len(turns)
            elif minus_priority == mine.minus_queue_priority:
                ahead += bisect_left(turns, mine.turn)
        return ahead + 1

    def in_order(self, pool: PoolName, queues: Mapping[str, Queue]) -> Iterator[JobUid]:
        """Yield the pool's waiting jobs, the next one first."""
        streams = [
            _pool_turns(-queues[shape.ref].priority, turns)
            for shape, turns in self.groups(pool).items()
        ]
        for _, turn in heapq.merge(*streams):
            yield turn.uid


def _pool_turns(minus_priority: int, turns: Iterable[Turn]) -> Iterator[PoolTurn]:
    return (PoolTurn(minus_priority, turn) for turn in turns)
