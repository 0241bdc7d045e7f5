"""Bookings as views, and what a card shows of them: pure, from one state at one moment."""

from collections.abc import Iterator
from math import inf

from eaas import reasons as r
from eaas.booking_views import BookedCardView, BookingView, CardBookingView
from eaas.booking_words import span_text
from eaas.ids import CardUuid
from eaas.lifecycle import JobState
from eaas.sentences import sentence
from eaas.units import utc_text
from eaas.views import ReasonView
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.booking import BookedCard, Booking
from eaas_daemon.core.booking_moments import cards_text
from eaas_daemon.core.booking_picks import IN_TIME, OUT, Readiness, card_of, readiness
from eaas_daemon.core.fit import unfit
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State


def booking_view(
    state: State, booking: Booking, now: float, remarks: tuple[str, ...] = ()
) -> BookingView:
    """Return the booking with its cards as they stand now."""
    cards = tuple(_card_view(state, booking, card, now) for card in booking.cards)
    missing = booking.gpus - sum(card.ready for card in cards)
    return BookingView(
        id=booking.id,
        pool=booking.pool,
        gpus=booking.gpus,
        user=booking.user,
        queue=booking.queue,
        gpu_type=booking.gpu_type,
        note=booking.note,
        state=booking.phase(now),
        start=utc_text(booking.start),
        end=utc_text(booking.end),
        created_by=booking.created_by,
        created_at=utc_text(booking.created_at),
        cards=cards,
        missing=missing,
        text=_text(booking, cards, missing, now),
        remarks=remarks,
    )


def _text(booking: Booking, cards: tuple[BookedCardView, ...], missing: int, now: float) -> str:
    when = span_text(utc_text(booking.start), utc_text(booking.end))
    verb = "is" if booking.gpus == 1 else "are"
    text = f"{cards_text(booking.gpus)} of pool {booking.pool} {verb} booked for {booking.whose}"
    text = f"{text} from {when}"
    if booking.phase(now) == "over":
        return f"{text}; it is over"
    if not missing:
        return text
    facts = [f"{_name(card)} {card.text}" for card in cards if not card.ready]
    if (lacks := booking.gpus - len(cards)) > 0:
        facts.append(f"the pool has no other {cards_text(lacks).removeprefix('1 ')} for it")
    still = "will not be there in time" if booking.start > now else "not there yet"
    count = f"{missing} of them" if booking.gpus > 1 else "it"
    verb = "" if booking.start > now else "are " if missing > 1 else "is "
    return f"{text}; {count} {verb}{still}: {'; '.join(facts)}"


def _name(card: BookedCardView) -> str:
    return f"card {card.index} of {card.node}"


def _card_view(state: State, booking: Booking, picked: BookedCard, now: float) -> BookedCardView:
    found = card_of(state, booking, picked)
    stands = Readiness(OUT, inf)
    text: str | None = f"is not in pool {booking.pool} any more"
    if found is not None:
        stands = readiness(state, booking, *found, now)
        text = _card_text(booking, *found, stands, now)
    return BookedCardView(
        uuid=picked.uuid,
        index=picked.index,
        node=picked.node,
        ready=stands.rank == IN_TIME,
        job=None if stands.job is None else stands.job.number,
        free_at=utc_text(stands.free_at) if _is_told(stands, now) else None,
        text=text,
    )


def _is_told(stands: Readiness, now: float) -> bool:
    """Tell whether a job's end is known and ahead; one that should be over moves with the clock."""
    job = stands.job
    return job is not None and job.state is not JobState.STOPPING and now < stands.free_at < inf


def _card_text(
    booking: Booking, node: Node, card: CardReport, stands: Readiness, now: float
) -> str | None:
    """Return what is to be said of the card; None where it is simply free."""
    if stands.rank == OUT:
        return _out_text(node, card)
    job = stands.job
    if job is None:
        return None if stands.rank == IN_TIME else f"is {card.state}: {card.text or 'in use'}"
    who = f"job {job.number} of {job.user}"
    if booking.is_for(job.ref, job.user):
        return f"has {who}, which is one of its own"
    if job.state is JobState.PENDING:
        return f"is promised to {who}, for which others are stopped"
    if _is_told(stands, now):
        until = utc_text(stands.free_at)[:16].replace("T", " ")
        return f"is held by {who} until {until} UTC at the latest"
    if job.state is JobState.STOPPING:
        return f"is held by {who}, which is being stopped"
    if job.state is JobState.UNKNOWN:
        return f"is held by {who}, of which its silent node says nothing"
    if job.timeout_s is None:
        return f"is held by {who} without a timeout"
    return f"is held by {who}, whose time is up"


def _out_text(node: Node, card: CardReport) -> str:
    if card.uuid in node.excluded:
        return f"is excluded by {node.excluded_by.get(CardUuid(card.uuid), 'a person')}"
    if (shut := unfit(node, None)) is not None and not isinstance(shut, r.NodeOffline):
        return f"can't be had: {sentence(shut)}"
    if node.offline:
        return "is unknown: its node is silent"
    return f"is {card.state}" + (f": {card.text}" if card.text else "")


# --- what a card shows


def card_bookings(state: State, card: CardReport) -> tuple[CardBookingView, ...]:
    """Return the card's bookings that are not over, the first one first."""
    return tuple(
        CardBookingView(
            id=one.id, whose=one.whose, start=utc_text(one.start), end=utc_text(one.end)
        )
        for one in _of_card(state, card)
    )


def _of_card(state: State, card: CardReport) -> Iterator[Booking]:
    if not state.bookings:
        return iter(())
    now = state.last_tick_at or 0.0
    return iter(one for one in state.booked_cards.get(CardUuid(card.uuid), ()) if one.end > now)


def booked_now(state: State, card: CardReport) -> Booking | None:
    """Return the booking that the card belongs to at this moment."""
    now = state.last_tick_at or 0.0
    found = (one for one in _of_card(state, card) if one.start <= now or one.told == "running")
    return next(found, None)


def booked_reason(state: State, card: CardReport, *, is_held: bool) -> ReasonView | None:
    """Return what the card's next booking means for those who would have it."""
    booking = next(_of_card(state, card), None)
    if booking is None:
        return None
    text = f"booked for {booking.whose} "
    text += span_text(utc_text(booking.start), utc_text(booking.end))
    if not is_held and booked_now(state, card) is None:
        text += "; jobs that are gone by then may have it"
    return ReasonView(code="booking", text=text)
