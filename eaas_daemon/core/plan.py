"""Who runs where: one pure decision over the whole state, the same for the same input."""

import heapq
from typing import NamedTuple

from msgspec.structs import replace

from eaas.ids import JobUid, NodeName, PoolName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.choose import Most, Refused
from eaas_daemon.core.fit import Room
from eaas_daemon.core.gates import gate
from eaas_daemon.core.line import PoolTurn
from eaas_daemon.core.model import Job, Pool, Reservation
from eaas_daemon.core.ranking import Ranking
from eaas_daemon.core.reserve import cards_for, keep, overrides, reserve, take
from eaas_daemon.core.rooms import rooms_of
from eaas_daemon.core.state import State


class Placement(NamedTuple):
    """A waiting job gets this node and these cards."""

    uid: JobUid
    node: NodeName
    cards: tuple[CardReport, ...]


class Plan(NamedTuple):
    """What is decided: who is placed, the most urgent first, and for whom room is kept."""

    placements: list[Placement]
    reservations: dict[PoolName, Reservation]


def plan(state: State, now: float) -> Plan:
    """Return the placements for all pools where something has changed, and the reservations.

    Jobs are taken in order; one that fits nowhere does not hold up those behind it, but the first
    such job of a pool gets a reservation that those must respect. Whatever fits nowhere stays in
    line, and ``explain`` gives its reasons from the same functions. Room only shrinks while a plan
    is made, so what was refused stays refused until its pool is restless again, and a job that
    arrives costs no more when thousands wait. ``now`` is Unix seconds.
    """
    pools = sorted(name for name in {*state.restless, *state.arrived} if name in state.pools)
    if not any(state.line.groups(name) for name in pools):
        kept = {name: some for name, some in state.reservations.items() if name not in pools}
        return Plan([], kept)
    planner = Planner(state, now)
    for name in pools:
        planner.pool(state.pools[name])
    return Plan(planner.placements, planner.reservations)


class Planner:
    """One plan while it is made: the rooms shrink, the caps fill, reservations are given."""

    def __init__(self, state: State, now: float) -> None:
        self._state = state
        self._now = now
        self._rooms = rooms_of(state)
        self._ranking = Ranking(state, self._rooms, now)
        self._held = state.held.copy()
        self.placements: list[Placement] = []
        self.reservations: dict[PoolName, Reservation] = {}
        for before in state.every_reservation():
            self._renew(before)

    def pool(self, pool: Pool) -> None:
        """Place whom the pool has room for."""
        rooms = [self._rooms[name] for name in pool.members if name in self._rooms]
        most, refused = Most.of(rooms), Refused()
        heads = self._heads(pool.name)
        while heads:
            _, shape, index = heapq.heappop(heads)
            if gate(shape, self._state.queues[shape.ref], pool, self._held) is not None:
                continue
            turns = self._state.line.groups(pool.name)[shape]
            job = self._state.jobs[turns[index].uid]
            kept = self.reservations.get(pool.name)
            is_own = kept is not None and kept.uid == job.uid
            if not most.allows(shape.ask) or (refused.covers(shape) and not is_own):
                self._block(pool, job, shape)
                continue
            room, is_kept = self._ranking.best(job, shape)
            if room is None:
                most = Most.of(rooms)
                refused.add(shape, is_kept=is_kept)
                self._block(pool, job, shape)
                continue
            self._place(job, shape, pool, room)
            if index + 1 < len(turns):
                turn = self._state.order.place(shape, turns[index + 1])
                heapq.heappush(heads, (turn, shape, index + 1))

    def _heads(self, pool: PoolName) -> list[tuple[PoolTurn, Shape, int]]:
        groups, order = self._state.line.groups(pool), self._state.order
        shapes = set(groups)
        if pool not in self._state.restless:
            shapes &= self._state.arrived[pool]
        heads = [(order.place(shape, groups[shape][0]), shape, 0) for shape in shapes]
        heapq.heapify(heads)
        return heads

    def _place(self, job: Job, shape: Shape, pool: Pool, room: Room) -> None:
        cards = cards_for(room, shape, pool)
        take(room, shape, cards, self._now)
        self._ranking.changed(room.node.name)
        self._held.count(pool.name, shape.ref, shape.user, 1, shape.ask.gpus)
        self.placements.append(Placement(job.uid, room.node.name, cards))
        own = self.reservations.get(pool.name)
        if own is not None and own.uid == job.uid:
            self._give_up(own)
        if room.kept is not None and overrides(self._state, job, shape, room.kept.reservation):
            keep(self._state, room.kept.reservation, room, self._now)

    def _block(self, pool: Pool, job: Job, shape: Shape) -> None:
        """Give the first job that finds no room a node to wait for."""
        before = self.reservations.get(pool.name)
        if before is not None:
            if before.uid == job.uid or not overrides(self._state, job, shape, before):
                return
            self._give_up(before)
        if not self._reserve(pool, job) and before is not None:
            self._reserve(pool, self._state.jobs[before.uid])

    def _renew(self, before: Reservation) -> None:
        """Let a job that still waits for nothing but room keep what it was given.

        While nothing has changed in its pool, that is the same node and the same moment.
        """
        if before.pool not in self._state.restless:
            self._keep(before)
            return
        if not before.is_firm:
            return
        pool, job = self._state.pools.get(before.pool), self._state.jobs.get(before.uid)
        if pool is None or job is None or not job.in_line or job.pool != before.pool:
            return
        shape = shape_of(job)
        if gate(shape, self._state.queues[shape.ref], pool, self._held) is None:
            self._reserve(pool, job)

    def _reserve(self, pool: Pool, job: Job) -> bool:
        reservation = reserve(self._state, pool, job, self._rooms, self._now)
        if reservation is not None:
            self._keep(reservation)
        return reservation is not None

    def _keep(self, reservation: Reservation) -> None:
        kept = keep(self._state, reservation, self._rooms[reservation.node], self._now)
        self.reservations[reservation.pool] = replace(reservation, cards=kept)

    def _give_up(self, reservation: Reservation) -> None:
        del self.reservations[reservation.pool]
        self._rooms[reservation.node].kept = None
