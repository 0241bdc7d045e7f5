"""Cards are booked and given back. Only an admin books: it goes before everybody's turn."""

from collections.abc import Iterator, Sequence
from typing import Final

from eaas.booking_words import span_text
from eaas.errors import Conflict, FieldError, Forbidden, Invalid, NotFound, NotYours
from eaas.ids import QueueName, UserName
from eaas.units import moment_text, utc_text
from eaas_daemon.core import events as e
from eaas_daemon.core.admin import pool_named, queue_named
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.booking_moments import cards_text
from eaas_daemon.core.booking_picks import layout
from eaas_daemon.core.fit import cards_in, matches_model
from eaas_daemon.core.model import Pool
from eaas_daemon.core.state import State
from eaas_daemon.core.trust import is_user_name

YEAR_S: Final = 366 * 86400.0
LEAST_S: Final = 60.0
MAX_NOTE_CHARS: Final = 200


def book(state: State, event: e.Book, now: float) -> Booking:
    """Book cards of a pool; which ones is decided before this step places anybody."""
    if not event.caller.admin:
        raise Forbidden(
            f"only an admin books cards, since that goes before everybody's turn, and you are "
            f"{event.caller.user}"
        )
    pool = _pool_of(state, event)
    booking = _wanted(state, pool, event, now)
    if mistakes := (*_wrong_times(event, booking, now), *_wrong(state, pool, event, booking)):
        raise Invalid(mistakes)
    _refuse_crowd(state, pool, booking, now)
    state.take_booking_id()
    state.put_booking(booking)
    until = f"from {_span(booking)}"
    cards = f"{cards_text(booking.gpus)} of pool {pool.name}"
    words = f"made booking {booking.id}: {cards} for {booking.whose} {until}"
    _note(state, event, "booking.created", words, now)
    return booking


def cancel(state: State, event: e.CancelBooking, now: float) -> Booking:
    """Give back what is booked; of one that is over nothing is left to give back."""
    booking = state.bookings.get(event.id)
    if booking is None:
        raise NotFound(f"there is no booking {event.id}; mini-eaas book list shows them")
    if not event.caller.admin and event.caller.user != booking.user:
        who = f"{booking.user} or an admin" if booking.user else "an admin"
        raise NotYours(f"booking {booking.id} is for {booking.whose}: only {who} cancels it")
    if booking.phase(now) == "over":
        return booking
    state.drop_booking(booking.id)
    cards = f"{cards_text(booking.gpus)} of pool {booking.pool}"
    words = f"cancelled booking {booking.id} of {booking.whose}: {cards} are anybody's again"
    if booking.gpus == 1:
        words = words.replace(" are anybody's", " is anybody's")
    _note(state, event, "booking.cancelled", words, now)
    return booking


def _span(booking: Booking) -> str:
    return span_text(utc_text(booking.start), utc_text(booking.end))


def _note(state: State, event: e.Asked, kind: str, words: str, now: float) -> None:
    state.journal(kind, f"{event.caller.user} {words}", now, user=event.caller.user)


def _pool_of(state: State, event: e.Book) -> Pool:
    """Return the pool that is named, by itself or with the queue; else the only one or default."""
    named = event.pool
    if named is None and event.queue is not None and "/" in event.queue:
        named = event.queue.partition("/")[0]
    if named is None:
        names = sorted(state.pools)
        if len(names) != 1 and "default" not in names:
            message = f"say which pool: {', '.join(names)}" if names else "there is no pool yet"
            raise Invalid((FieldError(field="pool", message=message),))
        named = names[0] if len(names) == 1 else "default"
    return pool_named(state, named)


def _wanted(state: State, pool: Pool, event: e.Book, now: float) -> Booking:
    start = now if event.start is None else max(event.start, now)
    end = event.end
    if end is None:
        end = start + (event.for_s or 0.0)
    queue = None
    if event.queue is not None:
        before, slash, name = event.queue.rpartition("/")
        queue = queue_named(state, before if slash else pool.name, name).name
    user = event.user
    if user is None and queue is None:
        user = event.caller.user
    return Booking(
        id=state.next_booking,
        pool=pool.name,
        gpus=event.gpus,
        start=start,
        end=end,
        user=None if user is None else UserName(user),
        queue=None if queue is None else QueueName(queue),
        gpu_type=event.gpu_type.lower() if event.gpu_type else None,
        note=event.note or None,
        created_by=event.caller.user,
        created_at=now,
        told="running" if start <= now else "ahead",
    )


def _wrong_times(event: e.Book, booking: Booking, now: float) -> Iterator[FieldError]:
    """Yield what is wrong with when it is to begin and to end."""
    if (event.end is None) == (event.for_s is None):
        message = "say until when: with for_s how long it lasts, or with end when it ends"
        yield FieldError(field="end", message=message)
        return
    field = "end" if event.for_s is None else "for_s"
    began = now if event.start is None else event.start
    if booking.end <= now and event.end is not None:
        message = f"end: {moment_text(booking.end)} is over already; it is {moment_text(now)} now"
        yield FieldError(field=field, message=message)
    elif event.end is not None and event.end <= began:
        message = f"end: {moment_text(booking.end)} is not after the start, {moment_text(began)}"
        yield FieldError(field=field, message=message)
    elif booking.end - booking.start < LEAST_S:
        yield FieldError(field=field, message=f"{field}: a booking lasts a minute at least")
    elif booking.end - booking.start > YEAR_S:
        yield FieldError(field=field, message=f"{field}: a booking lasts a year at most")
    if booking.start - now > YEAR_S:
        message = f"start: {moment_text(booking.start)} is more than a year ahead"
        yield FieldError(field="start", message=message)


def _wrong(state: State, pool: Pool, event: e.Book, booking: Booking) -> Iterator[FieldError]:
    """Yield what is wrong with all but the times."""
    if event.user is not None and event.queue is not None:
        yield FieldError(field="user", message="say for whom: a user or a queue, not both")
    elif event.user is not None and not is_user_name(event.user):
        yield FieldError(field="user", message="user: that names no user")
    if event.queue is not None and "/" in event.queue:
        before = event.queue.partition("/")[0]
        if before != pool.name:
            message = f"queue {event.queue} is none of pool {pool.name}"
            yield FieldError(field="queue", message=message)
    if len(event.note or "") > MAX_NOTE_CHARS or not (event.note or "").isprintable():
        message = f"note: must be one line of {MAX_NOTE_CHARS} characters at most"
        yield FieldError(field="note", message=message)
    has, kind = card_count(state, pool, booking), f" of {event.gpu_type}" if event.gpu_type else ""
    if event.gpus < 1:
        yield FieldError(field="gpus", message=f"gpus: must be 1 or more, not {event.gpus}")
    elif event.gpus > has:
        has_text = f"pool {pool.name} has {cards_text(has)}{kind}"
        yield FieldError(field="gpus", message=f"gpus: must be {has} at most: {has_text}")


def card_count(state: State, pool: Pool, booking: Booking) -> int:
    """Return how many cards of the pool the booking could have, whole or broken."""
    nodes = [state.nodes[name] for name in pool.members if name in state.nodes]
    return sum(
        matches_model(card, node, booking.gpu_type)
        for node in nodes
        for card in cards_in(node, pool)
    )


def _refuse_crowd(state: State, pool: Pool, booking: Booking, now: float) -> None:
    """Refuse what together with other bookings is more than the pool has."""
    beside = [one for one in _live(state, now) if one.overlaps(booking)]
    same_pool = [*(one for one in _live(state, now) if one.pool == pool.name), booking]
    found = layout(state, same_pool, now)
    needs = {one.id: len(one.cards) for one in same_pool} | {booking.id: booking.gpus}
    if all(len(found[id]) >= needed for id, needed in needs.items()):
        return
    own = [one for one in beside if one.pool == pool.name] or beside
    listed = ", ".join(
        f"booking {one.id} of {one.whose} has {cards_text(one.gpus)} from {_span(one)}"
        for one in sorted(own, key=lambda one: (one.start, one.id))
    )
    has = card_count(state, pool, booking)
    raise Conflict(
        f"pool {pool.name} has {cards_text(has)}, and {cards_text(booking.gpus)} more would be too "
        f"many: {listed}"
    )


def _live(state: State, now: float) -> Sequence[Booking]:
    return [one for one in state.bookings.values() if one.end > now]


def is_known(state: State, user: str) -> bool:
    """Tell whether anything says that there is such a user; nobody has to be known before."""
    return (
        any(one.user == user for one in state.credentials.values())
        or any(job.user == user for job in state.jobs.values())
        or any(name == user for _, name in state.usage)
        or any(user in queue.allow for queue in state.queues.values())
        or any(user in (node.inventory.people or ()) for node in state.nodes.values())
    )
