"""No starvation: the first job of a pool that finds no room gets a node to wait for.

Once part of what it needs is free there, it keeps that until it starts, also when others come
before it who have had less of the cards: only a higher queue, a higher priority or ``job top``
takes it away.

When everything that is in its way there ends by a timeout, it is known when the job can start at
the latest, and others may use that room in between if their own timeouts let them be gone by then
(EASY backfill). When an end is unknown, cards that become free on that node are kept for the job
once it has waited for its queue's ``hold_after``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import CardUuid, NodeName, PoolName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Shape, amounts_of, shape_of
from eaas_daemon.core.booked import NO_CARDS, Load, against, barred, own
from eaas_daemon.core.booking_bars import (
    booked_from,
    in_order,
    note_bookings,
    open_cards,
    start_beside,
)
from eaas_daemon.core.closeness import pick
from eaas_daemon.core.coming import (
    Coming,
    emptiest,
    is_spare,
    shares_back,
    take_spare,
    unread,
    whole_again,
)
from eaas_daemon.core.ends import ends_by, ends_if_placed, is_gone_by
from eaas_daemon.core.fit import Back, Kept, Return, Room, never, shared_cards, unfit, usable
from eaas_daemon.core.line import turn_of
from eaas_daemon.core.making_room import NOTHING, passed_on, promised_cards
from eaas_daemon.core.model import Job, Node, Pool, Reservation
from eaas_daemon.core.mounted import unmounted
from eaas_daemon.core.parts import give
from eaas_daemon.core.rooms import rooms_of
from eaas_daemon.core.state import State

COOLING_S: Final = 5.0
"""Within that a card that was released is usually read clean."""

LOST_S: Final = 60.0
"""A card that was not read clean for so long after its release waits for a person."""


class Candidate(NamedTuple):
    """A node on which the job could run once others have ended; smaller is better."""

    at: float
    """When all of them have, at the latest; infinite where an end is unknown."""
    missing: tuple[int, int, int]
    """Cards, CPUs and memory that it lacks now."""
    node: NodeName


def reserve(
    state: State,
    pool: Pool,
    job: Job,
    rooms: Mapping[NodeName, Room],
    now: float,
    *,
    was_firm: bool = False,
) -> Reservation | None:
    """Return which nodes the job waits for, or None if no ends of others would let it start.

    One that ``was_firm`` stays so while those have its cards who are gone in time.
    """
    shape = shape_of(job)
    ask = shape.ask
    members = [rooms[name] for name in sorted(pool.members) if name in rooms]
    found = sorted(
        candidate
        for room in members
        if room.kept is None
        if (candidate := _candidate(state, room, shape, pool, now)) is not None
    )
    if len(found) < ask.num_nodes:
        return None
    at = found[ask.num_nodes - 1].at
    before = state.reservations.get(pool.name)
    if at == inf and before is not None and before.uid == job.uid:
        found.sort(key=lambda one: (one.node not in before.nodes, one))
    nodes = tuple(sorted(one.node for one in found[: ask.num_nodes]))
    if ask.num_nodes > 1 and any(against(rooms[name].booked, shape, at) for name in nodes):
        at = inf  # what is there by then on one node may be booked when the last one is there
    hold_after_s = state.queues[job.ref].hold_after_s
    holds_from = None if hold_after_s is None else job.since + hold_after_s
    is_held = at < inf or (holds_from is not None and holds_from <= now)
    return Reservation(
        pool=pool.name,
        nodes=nodes,
        uid=job.uid,
        number=job.number,
        user=job.user,
        at=None if at == inf else at,
        holds_from=holds_from,
        is_firm=is_held
        and (was_firm or any(_is_partly_there(rooms[name], shape, pool, now) for name in nodes)),
    )


def keep(state: State, reservation: Reservation, room: Room, now: float) -> tuple[CardUuid, ...]:
    """Note in the room what of it is kept for the job; return the free cards that are."""
    pool, shape = state.pools[reservation.pool], shape_of(state.jobs[reservation.uid])
    ask = shape.ask
    cpus_milli, memory_mib = room.cpus_milli, room.memory_mib
    coming: list[CardReport] = []
    if not reservation.is_firm:
        return ()
    follow = Coming(room, ask, pool)
    if reservation.at is not None:
        for back in _returns(state, room, now):
            if back.at <= reservation.at:
                cpus_milli += back.cpus_milli
                memory_mib += back.memory_mib
                coming += follow.take(back)
    shut = barred(room.booked, shape, now if reservation.at is None else reservation.at)
    suiting = [*coming, *usable(room, ask, pool)]
    if room.parts and reservation.at is None:
        suiting += emptiest(room, ask, pool, suiting)
    promised = [
        card
        for card in [card for card in suiting if card.uuid not in shut][: ask.gpus]
        if card.uuid in room.free_cards or card.uuid in room.parts
    ]
    kept = [CardUuid(card.uuid) for card in promised]
    room.kept = Kept(
        reservation=reservation,
        cards=frozenset(kept),
        cpus_milli=cpus_milli - ask.cpus_milli,
        memory_mib=memory_mib - ask.memory_mib,
    )
    for card in promised if ask.share else ():
        room.kept.spare[CardUuid(card.uuid)] = follow.spare(card)
    return tuple(kept)


def kept_rooms(state: State, now: float) -> dict[NodeName, Room]:
    """Return what every node has left, and what of it is kept for whom."""
    rooms = rooms_of(state)
    note_bookings(state, rooms, now)
    for reservation in state.every_reservation():
        for name in reservation.nodes:
            room = rooms.get(name)
            if room is not None and reservation.uid in state.jobs:
                keep(state, reservation, room, now)
    return rooms


def given_up(
    before: Mapping[PoolName, Reservation], after: Mapping[PoolName, Reservation]
) -> Iterator[NodeName]:
    """Yield the nodes of which something was kept for a pool's job and is not any more."""
    for pool, kept in before.items():
        now_kept = after.get(pool)
        if kept.is_firm:
            is_kept = now_kept is not None and now_kept.is_firm
            yield from set(kept.nodes).difference(now_kept.nodes if now_kept and is_kept else ())


def loosened(
    before: Mapping[PoolName, Reservation], after: Mapping[PoolName, Reservation]
) -> Iterator[NodeName]:
    """Yield the nodes that are kept for a later moment: some are gone by then who were not."""
    for pool, kept in before.items():
        now_kept = after.get(pool)
        if kept.is_firm and now_kept is not None and (now_kept.at or 0.0) > (kept.at or 0.0):
            yield from now_kept.nodes


def lent(nodes: Iterable[NodeName], after: Mapping[PoolName, Reservation]) -> Iterator[NodeName]:
    """Yield those of the nodes that are kept: what was placed there is back in time, so that less
    of what is free may have to be kept.
    """
    kept = {node for each in after.values() if each.is_firm for node in each.nodes}
    return (node for node in nodes if node in kept)


def overrides(state: State, job: Job, shape: Shape, kept: Reservation) -> bool:
    """Tell whether the job may take what is kept: people put it before the one it is kept for."""
    head, order = state.jobs[kept.uid], state.order
    mine = order.place(shape, turn_of(job)).rightful
    return head.pool == job.pool and mine < order.place(shape_of(head), turn_of(head)).rightful


def kept_from(
    state: State, room: Room, job: Job, shape: Shape, now: float
) -> r.Booking | r.CardReserved | None:
    """Return for whom what the job would need is booked or kept, or None if it may have it."""
    if room.booked is None:
        return _kept_from(state, room, job, shape, now)
    booked = booked_from(room, shape, state.pools[job.pool], now)
    if booked is None or booked.fits_s is None:
        return booked or _kept_from(state, room, job, shape, now)
    shorter = shape._replace(timeout_s=booked.fits_s)
    is_free = _kept_from(state, room, job, shorter, now) is None
    return booked if is_free else replace(booked, fits_s=None)


def _kept_from(
    state: State, room: Room, job: Job, shape: Shape, now: float
) -> r.CardReserved | None:
    kept, ask, pool = room.kept, shape.ask, state.pools[job.pool]
    if kept is None or kept.reservation.uid == job.uid:
        return None
    if overrides(state, job, shape, kept.reservation):
        return None
    if is_gone_by(shape.timeout_s, now, kept.reservation.at):
        return None
    spare = [card for card in open_cards(room, shape, pool, now) if is_spare(kept, card, ask)]
    if (
        len(spare) >= ask.gpus
        and ask.cpus_milli <= max(0, kept.cpus_milli)
        and ask.memory_mib <= max(0, kept.memory_mib)
    ):
        return None
    return r.CardReserved(
        node=room.node.name,
        job=kept.reservation.number,
        user=kept.reservation.user,
        asked=ask.gpus,
        available=len(spare),
    )


def cards_for(room: Room, shape: Shape, pool: Pool) -> tuple[CardReport, ...]:
    """Return the cards that a job gets in a room that it may have: kept ones only at need."""
    ask = shape.ask
    cards = in_order(room, shape, usable(room, ask, pool))
    if rank := _rank(room, shape):
        cards = sorted(cards, key=rank)
    if ask.share and cards and cards[0].uuid in room.parts:
        return (cards[0],)
    return tuple(pick(cards, ask.gpus, free=room.free_cards, ways=room.ways, rank=rank))


def _rank(room: Room, shape: Shape) -> Callable[[CardReport], tuple[bool, bool]] | None:
    """Return what tells which cards a job had rather: no kept ones, and those booked for it."""
    kept, booked = room.kept, room.booked
    if kept is None and booked is None:
        return None
    mine = NO_CARDS if booked is None else own(booked, shape, booked.now)
    return lambda card: (
        kept is not None and not is_spare(kept, card, shape.ask),
        card.uuid not in mine,
    )


def take(room: Room, shape: Shape, cards: tuple[CardReport, ...], now: float) -> None:
    """Take from the room what a job was given."""
    share_mib = shape.ask.gpu_memory_mib if shape.ask.share else None
    for card in cards:
        if share_mib is None:
            del room.free_cards[CardUuid(card.uuid)]
        else:
            at_most = room.node.inventory.max_sharers
            give(room.parts, room.free_cards, card, share_mib, at_most)
    uuids = tuple(CardUuid(card.uuid) for card in cards)
    room.cpus_milli -= shape.ask.cpus_milli
    room.memory_mib -= shape.ask.memory_mib
    room.returns = None
    room.taken.append(
        Return(
            at=ends_if_placed(shape.timeout_s, now),
            cpus_milli=shape.ask.cpus_milli,
            memory_mib=shape.ask.memory_mib,
            cards=uuids if share_mib is None else (),
            shares=() if share_mib is None else tuple(Back(uuid, share_mib, 1) for uuid in uuids),
        )
    )
    if room.booked is not None:
        end, ask = room.taken[-1].at, shape.ask
        load = Load(shape.ref, shape.user, end, ask.cpus_milli, ask.memory_mib)
        room.booked.loads.append(load)
    kept = room.kept
    if kept is not None and not is_gone_by(shape.timeout_s, now, kept.reservation.at):
        kept.cpus_milli -= shape.ask.cpus_milli
        kept.memory_mib -= shape.ask.memory_mib
        if share_mib is not None:
            take_spare(kept, cards, share_mib)


def _candidate(state: State, room: Room, shape: Shape, pool: Pool, now: float) -> Candidate | None:
    node, ask = room.node, shape.ask
    if unfit(node, None) or never(node, ask, pool) or unmounted(node, ask):
        return None
    returns = _returns(state, room, now)
    cards = ask.gpus - len(usable(room, ask, pool))
    lacks_cards = ask.gpus - len(open_cards(room, shape, pool, now))
    cpus_milli = lacks_cpus = ask.cpus_milli - room.cpus_milli
    memory_mib = lacks_memory = ask.memory_mib - room.memory_mib
    at, follow = now, Coming(room, ask, pool)
    for back in returns:
        if cards <= 0 and cpus_milli <= 0 and memory_mib <= 0:
            break
        cards -= len(follow.take(back))
        cpus_milli -= back.cpus_milli
        memory_mib -= back.memory_mib
        at = back.at
    if cards > 0 or cpus_milli > 0 or memory_mib > 0:
        return None
    if room.booked is not None:
        follow = Coming(room, ask, pool)
        suiting = [(back, follow.take(back)) for back in returns]
        at = start_beside(room, shape, pool, suiting, now, COOLING_S)
    missing = max(0, lacks_cards), max(0, lacks_cpus), max(0, lacks_memory)
    return Candidate(at, missing, node.name)


def _is_partly_there(room: Room, shape: Shape, pool: Pool, now: float) -> bool:
    """Tell whether others could take something away that the job needs."""
    if not shape.ask.gpus:
        return room.cpus_milli > 0
    shared = shared_cards(room, shape.ask, pool) if room.parts else []
    return bool(open_cards(room, shape, pool, now) or shared)


def _returns(state: State, room: Room, now: float) -> list[Return]:
    """Return what comes back to the room, the first thing first."""
    if room.returns is None:
        found = sorted([*_cooling(state, room, now), *_ends(state, room, now), *room.taken])
        room.returns = whole_again(room, found) if room.parts else found
    return room.returns


def _ends(state: State, room: Room, now: float) -> Iterator[Return]:
    name = room.node.name
    passed, promised = passed_on(state, name), promised_cards(state, name)
    for job in state.placed.get(name, {}).values():
        cpus_milli, memory_mib = amounts_of(job)
        other = passed.get(job.uid, NOTHING)
        left = cpus_milli - other.cpus_milli, memory_mib - other.memory_mib
        if job.spec.share:
            yield Return(ends_by(job, now), *left, (), shares_back(job))
            continue
        cards = tuple(c.uuid for c in job.attempts[-1].cards if c.uuid not in promised)
        yield Return(ends_by(job, now), *left, cards)


def _cooling(state: State, room: Room, now: float) -> Iterator[Return]:
    """Yield the cards that somebody gave back a moment ago and that were not seen clean since."""
    node = room.node
    given_back = [(card.uuid, state.cooling.get(CardUuid(card.uuid))) for card in node.cards]
    coming = [CardUuid(uuid) for uuid, at in given_back if at is not None and is_coming(node, at)]
    cards = set(coming) - promised_cards(state, node.name) if coming else set()
    if cards:
        whole = tuple(sorted(uuid for uuid in cards if uuid not in room.parts))
        yield Return(now + COOLING_S, 0, 0, whole, tuple(unread(room, sorted(cards))))


def is_coming(node: Node, released_at: float) -> bool:
    """Tell whether a card that was released then, by its node's clock, is clean soon."""
    return node.sampled_at is None or node.sampled_at - released_at <= LOST_S
