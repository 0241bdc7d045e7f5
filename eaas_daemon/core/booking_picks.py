"""Which cards a booking gets: those that will be there, on few nodes, and the same ones each time.

A card that falls out is exchanged for one that stands better, and no other is.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.booking import BookedCard, Booking
from eaas_daemon.core.card_claims import owners_of
from eaas_daemon.core.ends import ends_by, ends_if_placed
from eaas_daemon.core.fit import cards_in, matches_model, unfit
from eaas_daemon.core.making_room import on_node
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.state import State

Picks = dict[int, tuple[BookedCard, ...]]

IN_TIME: Final = 0
"""Free, or certain to be by the start, or with a job of the booking's people."""
LATE: Final = 1
"""With somebody else's job that ends by its timeout, but after the start."""
NOBODY_KNOWS: Final = 2
"""With somebody else's job without a timeout, or in use from outside the pool."""
OUT: Final = 3
"""Not to be had until a person or its node has mended something."""


class Readiness(NamedTuple):
    """How a card stands to a booking; smaller is better."""

    rank: int
    free_at: float
    """When it is free at the latest; infinite when nobody knows."""
    job: Job | None = None
    """Whose end it waits for, or who has it."""


def readiness(
    state: State, booking: Booking, node: Node, card: CardReport, now: float
) -> Readiness:
    """Return how the card stands to the booking."""
    if _is_out(node, card):
        return Readiness(OUT, inf)
    ends = [(ends_by(job, now), job) for job in owners_of(state, node.name, card.uuid)]
    ends += _promised(state, node, card)
    if ends:
        return max((_held(booking, job, end, now) for end, job in ends), key=lambda one: one[:2])
    if card.state in ("free", "held"):
        return Readiness(IN_TIME, now)
    return Readiness(NOBODY_KNOWS, inf)


def _promised(state: State, node: Node, card: CardReport) -> list[tuple[float, Job]]:
    """Return the job for which others are stopped to let it have the card, and its end."""
    return [
        (ends_if_placed(job.timeout_s, job.promise.ready_by), job)
        for job in on_node(state, node.name)
        if job.promise is not None and card.uuid in job.promise.cards
    ]


def _held(booking: Booking, job: Job, end: float, now: float) -> Readiness:
    if end <= max(booking.start, now) or booking.is_for(job.ref, job.user):
        return Readiness(IN_TIME, end, job)
    return Readiness(NOBODY_KNOWS if end == inf else LATE, end, job)


def _is_out(node: Node, card: CardReport) -> bool:
    """Tell whether no job would get the card; a node that is only between two connections counts.

    So a controller that starts does not move every booking to the node that is back first.
    """
    is_away = node.session is None and not node.offline
    return (
        card.state in ("sick", "unknown")
        or card.uuid in node.excluded
        or (not is_away and unfit(node, None) is not None)
    )


def renew_picks(state: State, now: float) -> None:
    """Let every booking of a restless pool have its cards."""
    asked = [
        booking
        for booking in state.bookings.values()
        if booking.end > now and booking.pool in state.restless
    ]
    if all(_is_well(state, booking, now) for booking in asked):
        return
    for id, cards in layout(state, asked, now).items():
        if cards != state.bookings[id].cards:
            state.put_booking(replace(state.bookings[id], cards=cards))


def _is_well(state: State, booking: Booking, now: float) -> bool:
    """Tell whether it has all its cards, each in time; most of the time nothing else is asked."""
    return len(booking.cards) == booking.gpus and all(
        found is not None and readiness(state, booking, *found, now).rank == IN_TIME
        for found in (card_of(state, booking, card) for card in booking.cards)
    )


def card_of(state: State, booking: Booking, card: BookedCard) -> tuple[Node, CardReport] | None:
    """Return the node and the card that was picked, or None if its pool has it no more."""
    node = state.nodes.get(card.node)
    pool = state.pools.get(booking.pool)
    if node is None or pool is None or card.node not in pool.members:
        return None
    found = (one for one in cards_in(node, pool) if one.uuid == card.uuid)
    return next(((node, one) for one in found), None)


def layout(state: State, bookings: Iterable[Booking], now: float) -> Picks:
    """Return the cards of these bookings beside those of all others.

    Each keeps what it has as long as that is good. If one is short then although the pool has
    enough, those that have not begun are laid out anew.
    """
    listed = sorted(bookings, key=lambda one: (one.start, one.id))
    kept = _laid_out(state, listed, now, is_anew=False)
    if all(len(kept[one.id]) == one.gpus for one in listed):
        return kept
    others = {one.pool for one in listed}
    every = {one.id: one for one in state.bookings.values() if one.pool in others}
    every |= {one.id: one for one in listed}
    live = sorted(
        (one for one in every.values() if one.end > now), key=lambda one: (one.start, one.id)
    )
    anew = _laid_out(state, live, now, is_anew=True)
    before = {one.id: kept.get(one.id, one.cards) for one in live}
    return anew if _count(anew) > _count(before) else kept


def _count(picks: Mapping[int, Sequence[BookedCard]]) -> int:
    return sum(map(len, picks.values()))


def _laid_out(state: State, bookings: Sequence[Booking], now: float, *, is_anew: bool) -> Picks:
    has = {one.id: (one, one.cards) for one in state.bookings.values() if one.end > now}
    has |= {one.id: (one, one.cards) for one in bookings}
    if is_anew:
        has |= {one.id: (one, ()) for one in bookings if one.start > now}
    for booking in bookings:
        if not is_anew and _is_well(state, booking, now):
            continue
        taken = {
            card.uuid
            for other, cards in has.values()
            if other.id != booking.id and other.overlaps(booking)
            for card in cards
        }
        has[booking.id] = booking, _picked(state, booking, has[booking.id][1], taken, now)
    return {booking.id: has[booking.id][1] for booking in bookings}


class _Candidate(NamedTuple):
    card: BookedCard
    stands: Readiness
    is_had: bool
    mib: int


def _picked(
    state: State,
    booking: Booking,
    has: Sequence[BookedCard],
    taken: Collection[CardUuid],
    now: float,
) -> tuple[BookedCard, ...]:
    """Return the cards of one booking; what others have is ``taken``."""
    found = list(_candidates(state, booking, {card.uuid for card in has}, taken, now))
    good = [one for one in found if one.stands.rank == IN_TIME]
    chosen = [one for one in good if one.is_had][: booking.gpus]
    fresh = [one for one in good if not one.is_had]
    chosen += _on_few_nodes(state, fresh, booking.gpus - len(chosen), chosen)
    poor = sorted(
        (one for one in found if one.stands.rank != IN_TIME),
        key=lambda one: (one.stands.rank, not one.is_had, one.card.node, one.card.index),
    )
    chosen += poor[: booking.gpus - len(chosen)]
    return tuple(sorted((one.card for one in chosen), key=lambda card: (card.node, card.index)))


def _candidates(
    state: State,
    booking: Booking,
    had: Collection[CardUuid],
    taken: Collection[CardUuid],
    now: float,
) -> Iterable[_Candidate]:
    pool = state.pools.get(booking.pool)
    if pool is None:
        return
    for name in sorted(pool.members):
        if (node := state.nodes.get(name)) is None:
            continue
        for card in cards_in(node, pool):
            uuid = CardUuid(card.uuid)
            if uuid not in taken and matches_model(card, node, booking.gpu_type):
                yield _Candidate(
                    BookedCard(node=name, uuid=uuid, index=card.index),
                    readiness(state, booking, node, card, now),
                    uuid in had,
                    card.memory_total_mib or 0,
                )


def _on_few_nodes(
    state: State, fresh: Iterable[_Candidate], count: int, chosen: Iterable[_Candidate]
) -> list[_Candidate]:
    """Return that many of the candidates, those first whose node is used already.

    A node that is kept for a job comes last, and one that suffices goes before larger ones.
    """
    by_node: dict[NodeName, list[_Candidate]] = {}
    for one in fresh:
        by_node.setdefault(one.card.node, []).append(one)
    used = {one.card.node for one in chosen}
    kept = {name for one in state.every_reservation() if one.is_firm for name in one.nodes}
    picked: list[_Candidate] = []
    while by_node and (lacks := count - len(picked)) > 0:

        def worth(name: NodeName, lacks: int = lacks) -> tuple[bool, bool, bool, int, NodeName]:
            has = len(by_node[name])
            is_enough = has >= lacks
            return (
                name not in used,
                name in kept,
                not is_enough,
                has if is_enough else -has,
                name,
            )

        best = sorted(by_node.pop(min(by_node, key=worth)), key=_quality)
        picked += best[:lacks]
    return picked


def _quality(one: _Candidate) -> tuple[float, int, int]:
    """Order the cards of a node: what is free sooner, then small ones; large ones are others'."""
    return one.stands.free_at, one.mib, one.card.index
