"""Bookings in words: whose, which cards, from when to when."""

from typing import TYPE_CHECKING

from eaas.units import format_duration

if TYPE_CHECKING:
    from eaas.reasons import Booking


def span_text(start: str, end: str) -> str:
    """Return two moments (RFC 3339 UTC) as people read them: a common day is told once."""
    day, clock = start[:10], start[11:16]
    end_day, end_clock = end[:10], end[11:16]
    until = end_clock if day == end_day else f"{end_day} {end_clock}"
    return f"{day} {clock} to {until} UTC"


def booked_sentence(reason: "Booking") -> str:
    """Return what stands between a job and the node, and with which timeout it would not."""
    cards = "1 card" if reason.cards == 1 else f"{reason.cards} cards"
    verb = "is" if reason.cards == 1 else "are"
    when = span_text(reason.start, reason.end)
    text = f"{cards} of {reason.node} {verb} booked for {reason.whose} from {when}"
    if reason.fits_s is None:
        return text
    timeout = format_duration(reason.fits_s)
    return f"{text}; a timeout of {timeout} or less would let this job start before it"
