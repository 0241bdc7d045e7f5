"""Who runs where: one pure decision over the whole state, the same for the same input."""

import heapq
from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from eaas.ids import JobUid, NodeName, PoolName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Ask, Shape, shape_of
from eaas_daemon.core.booking_bars import Whose, note_bookings, whose_now
from eaas_daemon.core.choose import Most, Refused, least_of
from eaas_daemon.core.fit import Room
from eaas_daemon.core.gang_rooms import Places, best_rooms
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.gates import gate, may_shut
from eaas_daemon.core.line import PoolTurn, turn_of
from eaas_daemon.core.making_room import held
from eaas_daemon.core.model import Job, Pool, Reservation
from eaas_daemon.core.promised import cap_kept
from eaas_daemon.core.ranking import Ranking
from eaas_daemon.core.reserve import cards_for, keep, overrides, reserve, take
from eaas_daemon.core.rooms import rooms_of
from eaas_daemon.core.state import State
from eaas_daemon.core.turns import Turns


class Placement(NamedTuple):
    """A waiting job gets this node and these cards."""

    uid: JobUid
    node: NodeName
    cards: tuple[CardReport, ...]


class Plan(NamedTuple):
    """What is decided: who is placed, the most urgent first, and for whom room is kept."""

    placements: list[Placement]
    reservations: dict[PoolName, Reservation]
    turns: Turns
    """Who let others go first."""


def plan(state: State, now: float, at_most: int | None = None) -> Plan:
    """Return the placements for all pools where something has changed, and the reservations.

    Jobs are taken in order; one that fits nowhere does not hold up those behind it, but the first
    such job of a pool gets a reservation that those must respect. Whatever fits nowhere stays in
    line, and ``explain`` gives its reasons from the same functions. Room only shrinks while a plan
    is made, so what was refused stays refused until its pool is restless again, and a job that
    arrives costs no more when thousands wait. ``now`` is Unix seconds; who only wants to know what
    would come may stop after ``at_most`` placements.
    """
    pools = _due(state)
    if not any(state.line.groups(name) for name in pools):
        kept = state.reservations.items()
        still = {name: some for name, some in kept if name not in state.restless}
        return Plan([], still, Turns(state))
    planner = Planner(state, now, at_most)
    planner.work(state.pools[name] for name in pools)
    return Plan(planner.placements, planner.reservations, planner.turns)


def is_due(state: State) -> bool:
    """Tell whether anything has changed since the last plan."""
    return bool(state.restless or state.arrived)


def _due(state: State) -> list[PoolName]:
    return sorted(name for name in {*state.restless, *state.arrived} if name in state.pools)


Head = tuple[PoolTurn, Shape, int]
"""The first job of a group that was not looked at: its turn, the group, its index there."""


class Visit:
    """One pool while a plan is made: who is still to be looked at, and what was seen."""

    def __init__(self, pool: Pool, rooms: list[Room], heads: list[Head], whose: Whose) -> None:
        self.pool = pool
        self.rooms = rooms
        self.heads = heads
        """A heap; the next job is the first."""
        self.most = Most.of(rooms)
        self.refused = Refused(whose)
        self.least = least_of([shape.ask for _, shape, _ in heads])
        self.settled: Reservation | None = None
        """One that nobody who comes now may take away: jobs are looked at in order."""
        self.placed: dict[Shape, int] = {}
        """How many of each group were given a room."""

    def look_again(self, heads: list[Head]) -> None:
        """Let these be looked at, again or for the first time, as if nobody had been refused."""
        known = {shape for _, shape, _ in self.heads}
        self.heads += [head for head in heads if head[1] not in known]
        heapq.heapify(self.heads)
        self.most, self.refused = Most.of(self.rooms), self.refused.anew()
        self.least = least_of([shape.ask for _, shape, _ in self.heads])
        self.settled = None


class Planner:
    """One plan while it is made: the rooms shrink, the caps fill, reservations are given."""

    def __init__(self, state: State, now: float, at_most: int | None = None) -> None:
        self._state = state
        self._at_most = inf if at_most is None else at_most
        self._now = now
        self._rooms = rooms_of(state)
        note_bookings(state, self._rooms, now)
        self._whose = whose_now(state, now)
        self._ranking = Ranking(state, self._rooms, now)
        self._held = held(state)
        self.placements: list[Placement] = []
        self.reservations: dict[PoolName, Reservation] = {}
        self.turns = Turns(state)
        self._visits: dict[PoolName, Visit] = {}
        self._next: list[tuple[float, int, PoolName]] = []
        """A heap; that pool is next whose next job has waited longest."""
        self._hopeless: set[tuple[PoolName, Ask]] = set()
        """Asks for which no node could be reserved."""
        self._renew()

    def work(self, pools: Iterable[Pool]) -> None:
        """Place whom the pools have room for.

        Each pool has its own order; between pools ``turns`` decides.
        """
        for pool in pools:
            self._visits[pool.name] = self._visit(pool)
            self._is_next(pool)
        while self._next:
            visit = self._visits[heapq.heappop(self._next)[-1]]
            self._look(visit)
            while visit.heads and not self._next:
                self._look(visit)
            self._is_next(visit.pool)

    def _is_next(self, pool: Pool) -> None:
        """Let the pool have its next turn, if somebody in it is still to be looked at."""
        visit = self._visits[pool.name]
        if visit.heads:
            heapq.heappush(self._next, (*self._since(visit), pool.name))

    def _visit(self, pool: Pool) -> Visit:
        return Visit(pool, self._rooms_in(pool), self._heads(pool.name), self._whose)

    def _rooms_in(self, pool: Pool) -> list[Room]:
        return [self._rooms[name] for name in pool.members if name in self._rooms]

    def _since(self, visit: Visit) -> tuple[float, int]:
        _, shape, index = visit.heads[0]
        turn = self._state.line.groups(visit.pool.name)[shape][index]
        return self.turns.since(self._state.jobs[turn.uid]), turn.number

    def _look(self, visit: Visit) -> None:
        """Place the pool's next job, or let it and all like it wait."""
        if not visit.heads:
            return
        if self._is_over(visit):
            visit.heads.clear()
            return
        _, shape, index = heapq.heappop(visit.heads)
        if gate(shape, self._state.queues[shape.ref], visit.pool, self._held) is not None:
            return
        if not self._try(visit, shape, index):
            self._pass_on(visit, shape, index)

    def _try(self, visit: Visit, shape: Shape, index: int) -> bool:
        """Place that job of the group if it has room; return whether it has."""
        pool = visit.pool
        turns = self._state.line.groups(pool.name)[shape]
        job = self._state.jobs[turns[index].uid]
        kept = self.reservations.get(pool.name)
        if cap_kept(self._state, job, shape, kept, self._held) is not None:
            return False
        is_own = kept is not None and kept.uid == job.uid
        if not visit.most.allows(shape.ask) or (visit.refused.covers(shape) and not is_own):
            self._block(visit, job, shape)
            return False
        places, is_kept = self._best(job, shape)
        if not places:
            visit.most = Most.of(visit.rooms)
            visit.refused.add(shape, is_kept=is_kept)
            self._block(visit, job, shape)
            return False
        visit.placed[shape] = index + 1
        if index + 1 < len(turns):
            turn = self._state.order.place(shape, turns[index + 1])
            heapq.heappush(visit.heads, (turn, shape, index + 1))
        self._place(places, shape, pool)
        return True

    def _pass_on(self, visit: Visit, shape: Shape, index: int) -> None:
        """Let the one for whom room is kept have its look though one like it found none."""
        kept = self.reservations.get(visit.pool.name)
        head = None if kept is None else self._state.jobs[kept.uid]
        if head is None or (head.ref, head.user) != (shape.ref, shape.user):
            return
        if shape_of(head) == shape and (place := self._head(head))[-1] > index:
            heapq.heappush(visit.heads, place)

    def _heads(self, pool: PoolName) -> list[Head]:
        groups, order = self._state.line.groups(pool), self._state.order
        shapes = set(groups)
        if pool not in self._state.restless:
            shapes &= self._state.arrived[pool]
        heads = [(order.place(shape, groups[shape][0]), shape, 0) for shape in shapes]
        heapq.heapify(heads)
        return heads

    def _best(self, job: Job, shape: Shape) -> tuple[Places, bool]:
        """Return who goes where: the job, or all ranks of one on several nodes, or nobody."""
        if shape.ask.num_nodes > 1:
            ranks = ranks_of(self._state, job)
            return best_rooms(self._state, ranks, shape, self._rooms, self._now)
        room, is_kept = self._ranking.best(job, shape)
        return [] if room is None else [(job, room)], is_kept

    def _place(self, places: Places, shape: Shape, pool: Pool) -> None:
        counts = may_shut(shape, self._state.queues[shape.ref], pool)  # else nobody asks for it
        for one, room in places:
            cards = cards_for(room, shape, pool)
            take(room, shape, cards, self._now)
            self._ranking.changed(room.node.name)
            if counts:
                self._held.count(pool.name, shape.ref, shape.user, 1, shape.ask.gpus, shape.limit)
            self.placements.append(Placement(one.uid, room.node.name, cards))
        job = places[0][0]
        own = self.reservations.get(pool.name)
        if own is not None and own.uid == job.uid:
            self._give_up(own)
            self._let_others_look(pool, own)
        for _, room in places:
            if room.kept is not None and overrides(self._state, job, shape, room.kept.reservation):
                later = room.kept.reservation
                self._give_up(later)
                self.turns.pass_by(job, later.uid)
                if self._let_others_look(pool, later):
                    head = self._state.jobs[later.uid]
                    self._visits[pool.name].look_again([self._head(head)])
                else:
                    self._reserve(pool, self._state.jobs[later.uid])

    def _let_others_look(self, pool: Pool, given_up: Reservation) -> bool:
        """Let the other pools of nodes that nobody keeps now have a turn at them before this one
        keeps them again; return whether anybody waits there.
        """
        others = list(self.turns.others(pool, given_up.nodes))
        for other in others:
            if other.name not in self._visits:
                self._visits[other.name] = Visit(other, self._rooms_in(other), [], self._whose)
            visit = self._visits[other.name]
            visit.look_again(self._rest(visit))
            self._is_next(other)
        return bool(others)

    def _rest(self, visit: Visit) -> list[Head]:
        """Return the first of each of the pool's groups that has no room yet."""
        groups, order = self._state.line.groups(visit.pool.name), self._state.order
        return [
            (order.place(shape, turns[index]), shape, index)
            for shape, turns in groups.items()
            if (index := visit.placed.get(shape, 0)) < len(turns)
        ]

    def _head(self, job: Job) -> Head:
        shape, turn = shape_of(job), turn_of(job)
        turns = self._state.line.groups(job.pool)[shape]
        return self._state.order.place(shape, turn), shape, bisect_left(turns, turn)

    def _is_over(self, visit: Visit) -> bool:
        """Tell whether nobody is left in the pool who could get a room or keep one."""
        if len(self.placements) >= self._at_most:
            return True
        return self._is_settled(visit) and not visit.most.allows(visit.least)

    def _is_settled(self, visit: Visit) -> bool:
        kept = visit.settled
        return kept is not None and self.reservations.get(visit.pool.name) is kept

    def _block(self, visit: Visit, job: Job, shape: Shape) -> None:
        """Give the first job that finds no room a node to wait for."""
        pool = visit.pool
        if self._is_settled(visit) or (pool.name, shape.ask) in self._hopeless:
            return
        before = self.reservations.get(pool.name)
        if before is not None:
            if before.uid == job.uid or not overrides(self._state, job, shape, before):
                visit.settled = before
                return
            self._give_up(before)
            self.turns.pass_by(job, before.uid)
        if self._reserve(pool, job):
            return
        self._hopeless.add((pool.name, shape.ask))
        if before is not None:
            self._reserve(pool, self._state.jobs[before.uid])

    def _renew(self) -> None:
        """Let jobs that still wait for nothing but room keep what they were given.

        While nothing has changed in its pool, that is the same node and the same moment. Nobody is
        given a node that another one still keeps.
        """
        kept = [before for before in self._state.every_reservation() if self._still_waits(before)]
        for before in kept:
            if all(name in self._rooms for name in before.nodes):
                self._keep(before)
        for before in kept:
            if before.pool in self._state.restless:
                if before.pool in self.reservations:
                    self._give_up(before)
                job = self._state.jobs[before.uid]
                self._reserve(self._state.pools[before.pool], job, was_firm=True)

    def _still_waits(self, before: Reservation) -> bool:
        if before.pool not in self._state.restless:
            return True
        if not before.is_firm:
            return False
        pool, job = self._state.pools.get(before.pool), self._state.jobs.get(before.uid)
        if pool is None or job is None or not job.in_line or job.pool != before.pool:
            return False
        shape = shape_of(job)
        return gate(shape, self._state.queues[shape.ref], pool, self._held) is None

    def _reserve(self, pool: Pool, job: Job, *, was_firm: bool = False) -> bool:
        about = self._state, pool, job, self._rooms, self._now
        reservation = reserve(*about, was_firm=was_firm)
        if reservation is not None:
            self._keep(reservation)
        return reservation is not None

    def _keep(self, reservation: Reservation) -> None:
        rooms = (self._rooms[name] for name in reservation.nodes)
        kept = [keep(self._state, reservation, room, self._now) for room in rooms]
        self.reservations[reservation.pool] = replace(reservation, cards=tuple(chain(*kept)))

    def _give_up(self, reservation: Reservation) -> None:
        del self.reservations[reservation.pool]
        for name in reservation.nodes:
            room = self._rooms[name]
            if room.kept is not None and room.kept.reservation.uid == reservation.uid:
                room.kept = None
                self._hopeless.clear()
