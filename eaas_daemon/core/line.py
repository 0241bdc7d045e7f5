"""The waiting jobs of every pool in their order, grouped by what they ask for.

Jobs of one queue and one user that ask for the same things get the same verdict, so the scheduler
looks at the first of each group only: its cost grows with the kinds of jobs, not with their number.
"""

import heapq
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from eaas.ids import JobNumber, JobUid, PoolName
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.model import Job, Queue
from eaas_daemon.core.usage import Standing

FEW_GROUPS: Final = 64
"""Up to so many are merged as far as somebody looks; more are quicker sorted at once."""


class Turn(NamedTuple):
    """A job's place within its queue; smaller goes first."""

    rank: int
    minus_priority: int
    number: int
    uid: JobUid


class PoolTurn(NamedTuple):
    """A job's place within its pool; smaller goes first."""

    minus_queue_priority: int
    rank: int
    minus_priority: int
    standing: int
    """What its user has had of late: who has had less goes first."""
    number: int

    @property
    def rightful(self) -> tuple[int, int, int]:
        """Return the part that people set: by this, and by nothing that moves with time, a job may
        take what is kept for another.
        """
        return self[:3]


class Order(NamedTuple):
    """What decides between jobs of different groups."""

    queues: Mapping[str, Queue]
    standing: Standing

    def urgency(self, shape: Shape) -> tuple[int, int]:
        """Return the queue's priority, negated, and the standing of the group's user."""
        queue = self.queues[shape.ref]
        return -queue.priority, self.standing.get((queue.pool, shape.user), 0)

    def place(self, shape: Shape, turn: Turn) -> PoolTurn:
        """Return the place within the pool of a job with this turn in this group."""
        minus_queue_priority, standing = self.urgency(shape)
        return PoolTurn(minus_queue_priority, turn.rank, turn.minus_priority, standing, turn.number)


def turn_of(job: Job) -> Turn:
    """Return the job's place within its queue."""
    return Turn(job.rank, -job.priority, job.number, job.uid)


class Line:
    """Who waits, in order. Knows nothing of the jobs but their turns."""

    def __init__(self) -> None:
        self._groups: dict[PoolName, dict[Shape, list[Turn]]] = {}
        self._waiting: dict[str, int] = {}
        self._arrays: dict[JobNumber, Counter[PoolName]] = {}

    def add(self, job: Job) -> Shape:
        """Let the job wait; return the group it has joined."""
        shape = shape_of(job)
        groups = self._groups.setdefault(job.pool, {})
        insort(groups.setdefault(shape, []), turn_of(job))
        self._waiting[job.ref] = self._waiting.get(job.ref, 0) + 1
        if shape.limit is not None:
            self._arrays.setdefault(shape.limit.array, Counter())[job.pool] += 1
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
        if shape.limit is not None:
            self._take_off(shape.limit.array, job.pool)

    def _take_off(self, array: JobNumber, pool: PoolName) -> None:
        pools = self._arrays[array]
        pools[pool] -= 1
        if not pools[pool]:
            del pools[pool]
        if not pools:
            del self._arrays[array]

    def still(self) -> "Line":
        """Return who waits now, for somebody who looks while this one goes on."""
        twin = Line()
        twin._waiting = dict(self._waiting)
        twin._arrays = {array: Counter(pools) for array, pools in self._arrays.items()}
        for pool, groups in self._groups.items():
            twin._groups[pool] = {shape: list(turns) for shape, turns in groups.items()}
        return twin

    def waiting(self, ref: str) -> int:
        """Return how many jobs wait in the queue."""
        return self._waiting.get(ref, 0)

    def pools_of_array(self, array: JobNumber) -> Collection[PoolName]:
        """Return where tasks of an array wait that has a limit of its own."""
        return self._arrays.get(array, ())

    def groups(self, pool: PoolName) -> Mapping[Shape, list[Turn]]:
        """Return the pool's groups; each list is in order."""
        return self._groups.get(pool, {})

    def position(self, job: Job, order: Order) -> int:
        """Return the job's place in its pool, from 1."""
        mine, turn = order.urgency(shape_of(job)), turn_of(job)
        return 1 + sum(
            _ahead(turns, turn, mine, order.urgency(shape))
            for shape, turns in self.groups(job.pool).items()
        )

    def in_order(self, pool: PoolName, order: Order) -> Iterator[JobUid]:
        """Yield the pool's waiting jobs, the next one first."""
        streams = [_places(shape, turns, order) for shape, turns in self.groups(pool).items()]
        every = (place for stream in streams for place in stream)
        places = heapq.merge(*streams) if len(streams) <= FEW_GROUPS else sorted(every)
        for place in places:
            yield place[-1]


def _ahead(
    turns: Sequence[Turn], turn: Turn, mine: tuple[int, int], theirs: tuple[int, int]
) -> int:
    """Count the turns of a group with their urgency that come before this turn with mine."""
    (my_queue, my_standing), (their_queue, their_standing) = mine, theirs
    if their_queue != my_queue:
        return len(turns) if their_queue < my_queue else 0
    if their_standing == my_standing:
        return bisect_left(turns, turn)
    level = (turn.rank, turn.minus_priority)
    side = bisect_right if their_standing < my_standing else bisect_left
    return side(turns, level, key=_level)


def _level(turn: Turn) -> tuple[int, int]:
    return turn.rank, turn.minus_priority


def _places(
    shape: Shape, turns: Iterable[Turn], order: Order
) -> Iterator[tuple[int, int, int, int, int, JobUid]]:
    """Yield the places of a group within its pool, each with its job; no more than plain tuples:
    there may be thousands.
    """
    minus_queue_priority, standing = order.urgency(shape)
    return (
        (minus_queue_priority, rank, minus_priority, standing, number, uid)
        for rank, minus_priority, number, uid in turns
    )
