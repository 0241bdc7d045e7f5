"""The rooms in the order in which a kind of job would have them, kept up while a plan is made.

A plan places many jobs of few kinds, and each placement changes one room. So the rooms are put in
order once for every kind, and after that only those are looked at again that were taken from.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from eaas.ids import CardUuid, NodeName, PoolName
from eaas_daemon.core.ask import Ask, Shape
from eaas_daemon.core.booked import own
from eaas_daemon.core.choose import Cost, best_room, lacks_image, largest_of, tightness
from eaas_daemon.core.fit import Room, cards_in, every_never, suits, unfit, usable
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.mounted import unmounted
from eaas_daemon.core.reserve import kept_from
from eaas_daemon.core.state import State

Kind = tuple[PoolName, Ask, str | None]
"""Pool, ask and image: jobs of one kind would have the rooms in one order."""


class Fits(NamedTuple):
    """What does not change of a room for a kind of job while a plan is made."""

    cards: frozenset[CardUuid] | None
    """Those that suit; None is all of the node's."""
    size_mib: int | None
    """Of each of them, where all are alike."""
    misses_image: int


class Ranked:
    """The rooms that have enough for one kind, the best first."""

    def __init__(self, pool: Pool, ask: Ask, rooms: Mapping[NodeName, Fits]) -> None:
        self.pool = pool
        self.ask = ask
        self.rooms = rooms
        self.heap: list[tuple[Cost, int, NodeName]] = []
        self.seen = 0
        """How much of the log of changed rooms has been taken in."""


class Ranking:
    """Finds rooms for the jobs of one plan."""

    def __init__(self, state: State, rooms: Mapping[NodeName, Room], now: float) -> None:
        self._state = state
        self._rooms = rooms
        self._now = now
        self._ranked: dict[Kind, Ranked] = {}
        self._fits: dict[Kind, dict[NodeName, Fits]] = {}
        self._versions: dict[NodeName, int] = {}
        self._log: list[NodeName] = []
        self._booked = [room.booked for room in rooms.values() if room.booked is not None]

    def changed(self, name: NodeName) -> None:
        """Note that something was taken from the room."""
        self._versions[name] = self._versions.get(name, 0) + 1
        self._log.append(name)

    def best(self, job: Job, shape: Shape) -> tuple[Room | None, bool]:
        """Return what ``best_room`` would: the room, and whether one is only kept from the job."""
        has_booked = any(own(booked, shape, self._now) for booked in self._booked)
        if job.attempts or has_booked:  # it would rather go where its workspace or its booking is
            return best_room(self._state, job, shape, self._rooms, self._now)
        ranked = self._kept_up(self._state.pools[job.pool], shape.ask, job.spec.image)
        aside: list[tuple[Cost, int, NodeName]] = []
        found: Room | None = None
        while ranked.heap:
            _, version, name = ranked.heap[0]
            if version == self._versions.get(name, 0):
                room = self._rooms[name]
                if kept_from(self._state, room, job, shape, self._now) is None:
                    found = room
                    break
                aside.append(ranked.heap[0])
            heapq.heappop(ranked.heap)
        for entry in aside:
            heapq.heappush(ranked.heap, entry)
        return found, found is None and bool(aside)

    def _kept_up(self, pool: Pool, ask: Ask, image: str | None) -> Ranked:
        kind = pool.name, ask, image
        ranked = self._ranked.get(kind)
        if ranked is None:
            ranked = self._ranked[kind] = Ranked(pool, ask, self._fitting(pool, ask, image))
            ranked.heap += self._entries(ranked, ranked.rooms)
            heapq.heapify(ranked.heap)
        else:
            names = set(self._log[ranked.seen :]) & ranked.rooms.keys()
            for entry in self._entries(ranked, names):
                heapq.heappush(ranked.heap, entry)
        ranked.seen = len(self._log)
        return ranked

    def _entries(
        self, ranked: Ranked, names: Iterable[NodeName]
    ) -> Iterator[tuple[Cost, int, NodeName]]:
        for name in names:
            if (cost := self._cost(ranked, name)) is not None:
                yield cost, self._versions.get(name, 0), name

    def _fitting(self, pool: Pool, ask: Ask, image: str | None) -> dict[NodeName, Fits]:
        """Return the rooms that would take such jobs, whatever amounts they ask for."""
        ask = ask._replace(gpus=min(1, ask.gpus), cpus_milli=0, memory_mib=0)
        kind = pool.name, ask, image
        if kind not in self._fits:
            self._fits[kind] = self._looked_at(pool, ask, image)
        return self._fits[kind]

    def _looked_at(self, pool: Pool, ask: Ask, image: str | None) -> dict[NodeName, Fits]:
        found: dict[NodeName, Fits] = {}
        for name in pool.members:
            room = self._rooms.get(name)
            if room is not None and _takes(room, ask, pool):
                found[name] = _fits(room, ask, pool, image)
        return found

    def _cost(self, ranked: Ranked, name: NodeName) -> Cost | None:
        """Return what the room costs a job of that kind, or None if it has not enough."""
        room, ask, known = self._rooms[name], ranked.ask, ranked.rooms[name]
        free = room.free_cards
        if ask.share:
            return self._share_cost(ranked, name)
        cards = len(free) if known.cards is None else len(free.keys() & known.cards)
        if cards < ask.gpus or ask.cpus_milli > room.cpus_milli or ask.memory_mib > room.memory_mib:
            return None
        largest = 0
        if ask.gpus:
            largest = known.size_mib or largest_of(room, ask, ranked.pool)
        return Cost(0, 0, largest, len(free) - ask.gpus, known.misses_image, -room.cpus_milli, name)

    def _share_cost(self, ranked: Ranked, name: NodeName) -> Cost | None:
        room, ask, known = self._rooms[name], ranked.ask, ranked.rooms[name]
        if ask.cpus_milli > room.cpus_milli or ask.memory_mib > room.memory_mib:
            return None
        if not usable(room, ask, ranked.pool):
            return None
        largest_mib, left = tightness(room, ask, ranked.pool)
        return Cost(0, 0, largest_mib, left, known.misses_image, -room.cpus_milli, name)


def _takes(room: Room, ask: Ask, pool: Pool) -> bool:
    """Tell whether the room would take such a job if it had enough."""
    node = room.node
    return (
        next(every_never(node, ask, pool), None) is None
        and unfit(node, None) is None
        and unmounted(node, ask) is None
    )


def _fits(room: Room, ask: Ask, pool: Pool, image: str | None) -> Fits:
    cards = cards_in(room.node, pool)
    suiting = [card for card in cards if suits(card, room.node, ask)]
    sizes = {card.memory_total_mib for card in suiting}
    is_all = len(suiting) == len(room.node.cards)
    return Fits(
        cards=None if is_all else frozenset(CardUuid(card.uuid) for card in suiting),
        size_mib=sizes.pop() if len(sizes) == 1 else None,
        misses_image=lacks_image(room, image),
    )
