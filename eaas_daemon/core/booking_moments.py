"""What the passing of time does to bookings: they begin and end, and are forgotten a day later.

Whether one runs is decided by the clock alone, wherever it is asked. Here only the journal is
written and the pools are roused, so a clock that jumps and comes back leaves nothing behind.
"""

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from eaas_daemon.core.booking import Booking, BookingPhase
from eaas_daemon.core.ends import is_gone_by
from eaas_daemon.core.state import State

KEPT_S: Final = 86400.0
"""How long a booking that is over is remembered: until then a wrong clock ends none for good."""


def turn(state: State, now: float) -> None:
    """Tell which bookings have begun or ended, and forget those that are long over."""
    last = state.last_tick_at
    if state.bookings and last is not None:
        _let_go_of_kept(state, last, now)
    is_back = last is not None and now < last
    for booking in list(state.bookings.values()):
        if is_back:
            state.rouse_booked(booking)  # there is more time before it again
        phase = booking.phase(now)
        if phase != booking.told:
            state.put_booking(replace(booking, told=phase))
            state.journal(f"booking.{phase}", _words(booking, phase), now, user=booking.user)
        elif phase == "over" and booking.end < now - KEPT_S:
            state.drop_booking(booking.id)


def _let_go_of_kept(state: State, last: float, now: float) -> None:
    """Plan anew where a job for which room is kept can't be gone by a booking any more.

    What was kept for it there others may have, who can.
    """
    for kept in state.every_reservation():
        if (job := state.jobs.get(kept.uid)) is None:
            continue
        for booking in state.bookings.values():
            was_in_time = is_gone_by(job.timeout_s, last, booking.start)
            is_late = was_in_time and not is_gone_by(job.timeout_s, now, booking.start)
            if is_late and any(card.node in kept.nodes for card in booking.cards):
                state.rouse_booked(booking)


def _words(booking: Booking, phase: BookingPhase) -> str:
    if phase == "running":
        text = f"booking {booking.id} begins: {cards_text(booking.gpus)} for {booking.whose}"
    elif phase == "over":
        text = f"booking {booking.id} of {booking.whose} is over; jobs that run on its cards run on"
    else:
        return f"booking {booking.id} has not begun by the clock, which was set back"
    return text


def cards_text(count: int) -> str:
    """Return so many cards in words."""
    return "1 card" if count == 1 else f"{count} cards"


def next_moment(bookings: Collection[Booking], now: float) -> float | None:
    """Return when the next booking begins or ends; None where there is none to come."""
    ahead = (at for one in bookings for at in (one.start, one.end) if at > now)
    return min(ahead, default=None)
