"""Bookings over REST and in the stream."""

from typing import Literal

from eaas.views import View


class CardBookingView(View, frozen=True, kw_only=True):
    """For whom a card is booked, and from when to when."""

    id: int
    whose: str
    """A user, or ``queue pool/queue``."""
    start: str
    end: str


class BookedCardView(View, frozen=True, kw_only=True):
    """A card that was picked for a booking, and how it stands to it."""

    uuid: str
    index: int
    node: str
    ready: bool
    """Whether the booking has it: it is free, will be by the start, or one of its jobs has it."""
    job: int | None
    """The job that is on it now."""
    free_at: str | None
    """When that one has ended at the latest; null where nobody knows."""
    text: str | None
    """What it is waiting for, or who of its people is on it."""


class BookingView(View, frozen=True, kw_only=True):
    id: int
    pool: str
    gpus: int
    user: str | None
    queue: str | None
    """Whoever submits into it; one of user and queue is null."""
    gpu_type: str | None
    note: str | None
    state: Literal["ahead", "running", "over"]
    start: str
    end: str
    created_by: str
    created_at: str
    cards: tuple[BookedCardView, ...]
    """They may change until it begins, where one falls out."""
    missing: int
    """How many of its cards it does not have: not ready, or not there at all."""
    text: str
    """A sentence that says whose which cards are, and which are missing and until when."""
    remarks: tuple[str, ...] = ()
    """What may be a mistake; only in the answer that made it."""
