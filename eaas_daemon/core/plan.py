"""Who runs where: one pure decision over the whole state, the same for the same input."""

import heapq
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

from eaas.ids import CardUuid, JobUid, NodeName, PoolName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Ask, Shape, ask_of
from eaas_daemon.core.fit import Room, refusal, unfit, usable
from eaas_daemon.core.gates import gate
from eaas_daemon.core.line import PoolTurn
from eaas_daemon.core.model import Job, Node, Pool
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally

MAX_REMEMBERED: Final = 16
"""Refused amounts of one kind that a plan keeps in mind."""


class Placement(NamedTuple):
    """A waiting job gets this node and these cards."""

    uid: JobUid
    node: NodeName
    cards: tuple[CardReport, ...]


def rooms_of(state: State) -> dict[NodeName, Room]:
    """Return what every node has left."""
    return {name: room_of(state, node) for name, node in state.nodes.items()}


def room_of(state: State, node: Node) -> Room:
    """Return what the node has left beside the attempts placed on it.

    A card is free only when its own node says so, no attempt owns it, no person excluded it, and
    it was read clean since it was last released.
    """
    jobs = state.placed.get(node.name, {}).values()
    asks = [ask_of(job) for job in jobs]
    owned = {card.uuid for job in jobs for card in job.attempts[-1].cards}
    free = {
        CardUuid(card.uuid): card
        for card in node.cards
        if card.state == "free"
        and card.uuid not in owned
        and card.uuid not in node.excluded
        and card.uuid not in state.cooling
    }
    return Room(
        node=node,
        free_cards=free,
        cpus_milli=round(node.inventory.cpus * 1000) - sum(ask.cpus_milli for ask in asks),
        memory_mib=node.inventory.memory_mib - sum(ask.memory_mib for ask in asks),
    )


def plan(state: State) -> list[Placement]:
    """Return the placements for all pools where something has changed, the most urgent first.

    Jobs are taken in order; one that fits nowhere does not hold up those behind it. Whatever
    fits nowhere stays in line, and ``explain`` gives its reasons from the same functions. Room
    only shrinks while a plan is made, so what was refused stays refused until its pool is
    restless again, and a job that arrives costs no more when thousands wait.
    """
    pools = sorted(name for name in {*state.restless, *state.arrived} if name in state.pools)
    rooms = rooms_of(state) if any(state.line.groups(name) for name in pools) else {}
    held = state.held.copy()
    return [
        placement
        for name in pools
        for placement in _plan_pool(state, state.pools[name], rooms, held)
    ]


def _plan_pool(
    state: State, pool: Pool, rooms: Mapping[NodeName, Room], held: Tally
) -> list[Placement]:
    placements: list[Placement] = []
    open_rooms = [rooms[name] for name in pool.members if name in rooms]
    most, refused = Most.of(open_rooms), Refused()
    heads = _heads(state, pool.name, most)
    while heads:
        _, shape, index = heapq.heappop(heads)
        if not most.allows(shape.ask) or refused.covers(shape.ask):
            continue
        if gate(shape, state.queues[shape.ref], pool, held) is not None:
            continue
        turns = state.line.groups(pool.name)[shape]
        job = state.jobs[turns[index].uid]
        room = best_room(job, shape.ask, pool, rooms)
        if room is None:
            refused.add(shape.ask)
            continue
        placements.append(_take(job, shape.ask, pool, room))
        most = Most.of(open_rooms)
        held.count(pool.name, shape.ref, shape.user, 1, shape.ask.gpus)
        if index + 1 < len(turns):
            turn = state.order.place(shape, turns[index + 1])
            heapq.heappush(heads, (turn, shape, index + 1))
    return placements


class Most(NamedTuple):
    """The most of each thing that any one room has left: a quick way to see what can't fit."""

    cards: int
    cpus_milli: int
    memory_mib: int

    @classmethod
    def of(cls, rooms: Sequence[Room]) -> Self:
        """Return the most of these rooms, those that take nothing now left out."""
        fit = [room for room in rooms if unfit(room.node, None) is None]
        return cls(
            max((len(room.free_cards) for room in fit), default=-1),
            max((room.cpus_milli for room in fit), default=-1),
            max((room.memory_mib for room in fit), default=-1),
        )

    def allows(self, ask: Ask) -> bool:
        """Tell whether the ask is not out of the question."""
        return (
            ask.gpus <= self.cards
            and ask.cpus_milli <= self.cpus_milli
            and ask.memory_mib <= self.memory_mib
        )


class Refused:
    """The asks that a plan has refused: whoever wants the same kind of room and as much is refused
    without another look.
    """

    def __init__(self) -> None:
        self._least: dict[Ask, list[tuple[int, int, int]]] = {}

    def add(self, ask: Ask) -> None:
        """Remember the ask, unless enough of its kind are."""
        amounts = self._least.setdefault(_kind(ask), [])
        if len(amounts) < MAX_REMEMBERED:
            amounts.append((ask.gpus, ask.cpus_milli, ask.memory_mib))

    def covers(self, ask: Ask) -> bool:
        """Tell whether no more than this was refused before."""
        return any(
            gpus <= ask.gpus and cpus_milli <= ask.cpus_milli and memory_mib <= ask.memory_mib
            for gpus, cpus_milli, memory_mib in self._least.get(_kind(ask), ())
        )


def _kind(ask: Ask) -> Ask:
    """Return what of the ask is no amount."""
    return ask._replace(gpus=0, cpus_milli=0, memory_mib=0)


def _heads(state: State, pool: PoolName, most: Most) -> list[tuple[PoolTurn, Shape, int]]:
    groups, order = state.line.groups(pool), state.order
    shapes = groups.keys() if pool in state.restless else groups.keys() & state.arrived[pool]
    heads = [
        (order.place(shape, groups[shape][0]), shape, 0)
        for shape in shapes
        if most.allows(shape.ask)
    ]
    heapq.heapify(heads)
    return heads


def best_room(job: Job, ask: Ask, pool: Pool, rooms: Mapping[NodeName, Room]) -> Room | None:
    """Return the room the job should get, or None if it fits nowhere now."""
    fitting = [
        rooms[name]
        for name in pool.members
        if name in rooms and _has_room(rooms[name], ask) and refusal(rooms[name], ask, pool) is None
    ]
    return min(fitting, key=lambda room: _cost(job, ask, pool, room), default=None)


def _has_room(room: Room, ask: Ask) -> bool:
    """Say no to most asks of a full house at once; ``refusal`` has the last word."""
    return (
        ask.gpus <= len(room.free_cards)
        and ask.cpus_milli <= room.cpus_milli
        and ask.memory_mib <= room.memory_mib
    )


def _cost(job: Job, ask: Ask, pool: Pool, room: Room) -> tuple[int, int, int, int, int, str]:
    """Order rooms: where its workspace is, the image is there, small cards, few cards left over."""
    last = job.attempt
    here = last is not None and last.node == room.node.name
    failed_here = here and last is not None and last.started_at is None
    cards = usable(room, ask, pool)[: ask.gpus]
    largest = max((card.memory_total_mib or 0 for card in cards), default=0)
    cached = any(image.name == job.spec.image for image in room.node.inventory.images)
    return (
        1 if failed_here else -1 if here else 0,
        largest,
        len(room.free_cards) - ask.gpus,
        0 if cached else 1,
        -room.cpus_milli,
        room.node.name,
    )


def _take(job: Job, ask: Ask, pool: Pool, room: Room) -> Placement:
    cards = tuple(usable(room, ask, pool)[: ask.gpus])
    for card in cards:
        del room.free_cards[CardUuid(card.uuid)]
    room.cpus_milli -= ask.cpus_milli
    room.memory_mib -= ask.memory_mib
    return Placement(job.uid, room.node.name, cards)
