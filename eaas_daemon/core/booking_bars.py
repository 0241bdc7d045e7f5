"""How bookings stand between a job and a room, for all who decide or explain."""

from collections.abc import Callable, Iterable, Mapping
from math import inf

from eaas import reasons as r
from eaas.ids import CardUuid, NodeName
from eaas.lifecycle import DEFAULT_GRACE_S
from eaas.units import format_duration, utc_text
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Shape, amounts_of
from eaas_daemon.core.booked import Booked, Claim, Load, against, barred, left, own
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.ends import START_ALLOWANCE_S, ends_by
from eaas_daemon.core.fit import Return, Room, usable
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State


def note_bookings(state: State, rooms: Mapping[NodeName, Room], now: float) -> None:
    """Note in the rooms what of them is booked; costs nothing where nothing is."""
    for name, bookings in _by_node(state.bookings.values(), now).items():
        room = rooms.get(name)
        if room is None:
            continue
        room.booked = Booked(
            now=now,
            claims=tuple(_claim(room, booking) for booking in bookings),
            loads=list(_loads(state, name, now)),
            cpus_milli=round(room.node.inventory.cpus * 1000),
            memory_mib=room.node.inventory.memory_mib,
        )


def _by_node(bookings: Iterable[Booking], now: float) -> dict[NodeName, list[Booking]]:
    """Return on which node which bookings have cards, those that are over left out."""
    found: dict[NodeName, list[Booking]] = {}
    for booking in bookings:
        if booking.end > now:
            for name in sorted({card.node for card in booking.cards}):
                found.setdefault(name, []).append(booking)
    return found


def _claim(room: Room, booking: Booking) -> Claim:
    """Return what the booking has of the room: its cards, and the even share of each."""
    node = room.node
    cards = frozenset(card.uuid for card in booking.cards if card.node == node.name)
    of = max(len(node.cards), len(cards))
    return Claim(
        booking,
        cards,
        cpus_milli=round(node.inventory.cpus * 1000) * len(cards) // of,
        memory_mib=node.inventory.memory_mib * len(cards) // of,
    )


def _loads(state: State, name: NodeName, now: float) -> Iterable[Load]:
    for job in state.placed.get(name, {}).values():
        yield Load(job.ref, job.user, ends_by(job, now), *amounts_of(job))


def open_cards(room: Room, shape: Shape, pool: Pool, at: float) -> list[CardReport]:
    """Return the free cards that suit and that no booking keeps from such a job then."""
    cards = usable(room, shape.ask, pool)
    if room.booked is None:
        return cards
    shut = barred(room.booked, shape, at)
    return [card for card in cards if card.uuid not in shut]


def in_order(room: Room, shape: Shape, cards: list[CardReport]) -> list[CardReport]:
    """Return those of the cards that the job may have now, those booked for it first."""
    booked = room.booked
    if booked is None:
        return cards
    shut, mine = barred(booked, shape, booked.now), own(booked, shape, booked.now)
    return sorted(
        (card for card in cards if card.uuid not in shut), key=lambda card: card.uuid not in mine
    )


def has_booked(room: Room, shape: Shape, pool: Pool) -> int:
    """Return how many of the free cards that the job would get are booked for it now."""
    if room.booked is None:
        return 0
    mine = own(room.booked, shape, room.booked.now)
    return min(shape.ask.gpus, sum(card.uuid in mine for card in usable(room, shape.ask, pool)))


def booked_from(room: Room, shape: Shape, pool: Pool, now: float) -> r.Booking | None:
    """Return for whom what the job would need is booked, or None if it may have it."""
    claims = against(room.booked, shape, now)
    if not claims or _fits(room, shape, pool, now):
        return None
    first = min(claims, key=lambda claim: (claim.booking.start, claim.booking.id))
    booking = first.booking
    return r.Booking(
        node=room.node.name,
        booking=booking.id,
        whose=booking.whose,
        cards=len(first.cards),
        start=utc_text(booking.start),
        end=utc_text(booking.end),
        fits_s=_fitting_s(room, shape, pool, now, booking.start),
        asked=shape.ask.gpus,
        available=len(open_cards(room, shape, pool, now)),
    )


def _fits(room: Room, shape: Shape, pool: Pool, now: float) -> bool:
    cpus_milli, memory_mib = left(room.booked, shape, now)
    return (
        len(open_cards(room, shape, pool, now)) >= shape.ask.gpus
        and shape.ask.cpus_milli <= max(0, cpus_milli)
        and shape.ask.memory_mib <= max(0, memory_mib)
    )


def _fitting_s(room: Room, shape: Shape, pool: Pool, now: float, start: float) -> float | None:
    """Return the longest timeout, in whole minutes, with which the job could go before the booking.

    None where no timeout would do.
    """
    most_s = (start - now - START_ALLOWANCE_S - DEFAULT_GRACE_S) // 60 * 60
    if most_s <= 0 or not _fits(room, shape._replace(timeout_s=most_s), pool, now):
        return None
    return most_s


def start_beside(
    room: Room,
    shape: Shape,
    pool: Pool,
    returns: Iterable[tuple[Return, list[CardReport]]],
    now: float,
    late_s: float,
) -> float:
    """Return when the room has what the job needs and no booking bars it; infinite: nobody knows.

    ``returns`` is what comes back to the room, the first thing first, each with those of its cards
    that suit the job; it may be ``late_s`` until they can be given to it.
    """
    ask, cards = shape.ask, {CardUuid(card.uuid) for card in usable(room, shape.ask, pool)}
    cpus_milli, memory_mib = room.cpus_milli, room.memory_mib
    moments = [(Return(now, 0, 0, ()), list[CardReport]()), *returns]
    for back, suiting in moments:
        cards.update(CardUuid(card.uuid) for card in suiting)
        cpus_milli += back.cpus_milli
        memory_mib += back.memory_mib
        at = back.at + (late_s if back.cards else 0.0)
        most_cpus, most_memory = left(room.booked, shape, at)
        if (
            back.at < inf
            and len(cards - barred(room.booked, shape, at)) >= ask.gpus
            and ask.cpus_milli <= min(cpus_milli, max(0, most_cpus))
            and ask.memory_mib <= min(memory_mib, max(0, most_memory))
        ):
            return back.at
    return inf


def shorter_timeout(reasons: Iterable[r.NodeReason]) -> list[str]:
    """Return what timeout would let a job start before what is booked; nothing if none would."""
    found = [one.fits_s for one in reasons if isinstance(one, r.Booking) and one.fits_s is not None]
    if not found:
        return []
    timeout = format_duration(max(found))
    return [f"submit it with --timeout {timeout} or less: it starts before what is booked"]


def stays_booked(state: State, job: Job, other: Job, now: float) -> bool:
    """Tell whether the end of the other one, which is placed, leaves the job nothing but what is
    booked for others.
    """
    cards = other.attempts[-1].cards if state.bookings else ()
    return bool(cards) and all(
        any(
            one.phase(now) == "running" and not one.is_for(job.ref, job.user)
            for one in state.booked_cards.get(card.uuid, ())
        )
        for card in cards
    )


Whose = Callable[[Shape], tuple[int, ...]]
"""Which bookings make a job one that may have what others may not."""


def nobody(_shape: Shape) -> tuple[int, ...]:
    """Return the bookings of a job where there are none."""
    return ()


def whose_now(state: State, now: float) -> Whose:
    """Return what tells which of the bookings that run now such a job is for."""
    running = [one for one in state.bookings.values() if one.phase(now) == "running"]
    if not running:
        return nobody
    return lambda shape: tuple(one.id for one in running if one.is_for(shape.ref, shape.user))
