"""Which of the rooms a job gets, and what can be seen at once not to fit anywhere."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple, Self

from eaas.ids import CardUuid, NodeName
from eaas_daemon.core.ask import Ask, Shape
from eaas_daemon.core.booking_bars import Whose, has_booked, nobody
from eaas_daemon.core.closeness import one_model
from eaas_daemon.core.fit import Room, refusal, unfit, usable
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.reserve import kept_from
from eaas_daemon.core.state import State

MAX_REMEMBERED: Final = 16
"""Refused amounts of one kind that a plan keeps in mind."""


def best_room(
    state: State, job: Job, shape: Shape, rooms: Mapping[NodeName, Room], now: float
) -> tuple[Room | None, bool]:
    """Return the room the job should get, or None; and whether one is only kept from it."""
    pool = state.pools[job.pool]
    fitting, open_to_it = open_rooms(state, job, shape, rooms, now)
    best = min(open_to_it, key=lambda room: cost_of(job, shape, pool, room), default=None)
    return best, best is None and bool(fitting)


def open_rooms(
    state: State, job: Job, shape: Shape, rooms: Mapping[NodeName, Room], now: float
) -> tuple[list[Room], list[Room]]:
    """Return the rooms that the job fits into, and those of them that are not kept from it."""
    ask, pool = shape.ask, state.pools[job.pool]
    fitting = [
        rooms[name]
        for name in pool.members
        if name in rooms and _has_room(rooms[name], ask) and refusal(rooms[name], ask, pool) is None
    ]
    return fitting, [room for room in fitting if not kept_from(state, room, job, shape, now)]


def _has_room(room: Room, ask: Ask) -> bool:
    """Say no to most asks of a full house at once; ``refusal`` has the last word."""
    return (
        (ask.share or ask.gpus <= len(room.free_cards))
        and ask.cpus_milli <= room.cpus_milli
        and ask.memory_mib <= room.memory_mib
    )


class Cost(NamedTuple):
    """What speaks against a room; smaller goes first."""

    minus_booked: int
    """The cards that are booked for the job there, negated: it leaves the others to others."""
    home: int
    """-1: the job's workspace is there; 1: its last attempt failed to start there."""
    largest_mib: int
    """A small card that suffices leaves a large one to others; 0 for a part of a shared one."""
    cards_left: int
    """For a share the MiB that are left of its card."""
    lacks_image: int
    minus_cpus_milli: int
    name: str


def cost_of(job: Job, shape: Shape, pool: Pool, room: Room) -> Cost:
    """Return what speaks against giving the job that room."""
    ask, last = shape.ask, job.attempt
    here = last is not None and last.node == room.node.name
    failed_here = here and last is not None and last.started_at is None
    largest_mib, cards_left = tightness(room, ask, pool)
    return Cost(
        -has_booked(room, shape, pool),
        1 if failed_here else -1 if here else 0,
        largest_mib,
        cards_left,
        lacks_image(room, job.spec.image),
        -room.cpus_milli,
        room.node.name,
    )


def tightness(room: Room, ask: Ask, pool: Pool) -> tuple[int, int]:
    """Return the MiB of the largest card that the job would get there, and what is left."""
    if not ask.share:
        return largest_of(room, ask, pool), len(room.free_cards) - ask.gpus
    card = usable(room, ask, pool)[0]
    part = room.parts.get(CardUuid(card.uuid))
    asked = ask.gpu_memory_mib or 0
    if part is not None:
        return 0, part.left_mib - asked
    return card.memory_total_mib or 0, (card.share_mib or 0) - asked


def largest_of(room: Room, ask: Ask, pool: Pool) -> int:
    """Return the MiB of the largest card that the job would get there."""
    cards = one_model(usable(room, ask, pool), ask.gpus)[: ask.gpus]
    return max((card.memory_total_mib or 0 for card in cards), default=0)


def lacks_image(room: Room, image: str | None) -> int:
    """Return 0 where the image is there already, else 1."""
    return 0 if any(one.name == image for one in room.node.inventory.images) else 1


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
            (ask.share or ask.gpus <= self.cards)  # a card that is shared is not free
            and ask.cpus_milli <= self.cpus_milli
            and ask.memory_mib <= self.memory_mib
        )


def least_of(asks: Sequence[Ask]) -> Ask:
    """Return an ask that wants of each amount what the most modest of these wants."""
    return Ask(
        needs_image=False,
        gpus=min((ask.gpus for ask in asks), default=0),
        gpu_type=None,
        gpu_memory_mib=None,
        cpus_milli=min((ask.cpus_milli for ask in asks), default=0),
        memory_mib=min((ask.memory_mib for ask in asks), default=0),
        nodes=(),
        mounts=(),
        share=any(ask.share for ask in asks),
    )


class Refused:
    """The asks that a plan has refused: whoever wants the same kind of room and as much is refused
    without another look.
    """

    def __init__(self, whose: Whose = nobody) -> None:
        self._whose = whose
        self._least: dict[Ask, list[tuple[int, int, int]]] = {}
        self._kept: dict[tuple[Ask, tuple[int, ...]], float] = {}
        """The shortest timeout with which room was kept from it, by whose bookings it may use."""

    def anew(self) -> "Refused":
        """Return one that remembers nothing yet."""
        return Refused(self._whose)

    def add(self, shape: Shape, *, is_kept: bool) -> None:
        """Remember the ask, unless enough of its kind are.

        What is only kept from it, it may be given with a shorter timeout.
        """
        if is_kept:
            key = shape.ask, self._whose(shape)
            self._kept[key] = min(self._kept.get(key, inf), _timeout_s(shape))
            return
        ask = shape.ask
        amounts = self._least.setdefault(_kind(ask), [])
        if len(amounts) < MAX_REMEMBERED:
            amounts.append((ask.gpus, ask.cpus_milli, ask.memory_mib))

    def covers(self, shape: Shape) -> bool:
        """Tell whether no more than this, for no longer, was refused before."""
        ask = shape.ask
        kept = self._kept.get((ask, self._whose(shape))) if self._kept else None
        if kept is not None and _timeout_s(shape) >= kept:
            return True
        return _is_over(ask, self._least.get(_kind(ask), ()))


def _is_over(ask: Ask, amounts: Iterable[tuple[int, int, int]]) -> bool:
    return any(
        gpus <= ask.gpus and cpus_milli <= ask.cpus_milli and memory_mib <= ask.memory_mib
        for gpus, cpus_milli, memory_mib in amounts
    )


def _timeout_s(shape: Shape) -> float:
    return inf if shape.timeout_s is None else shape.timeout_s


def _kind(ask: Ask) -> Ask:
    """Return what of the ask is no amount."""
    return ask._replace(gpus=0, cpus_milli=0, memory_mib=0)
