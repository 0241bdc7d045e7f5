"""Bookings as rows, the next one first, and all that is to be said of one."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Final

from eaas.booking_views import BookingView
from eaas.cli.draw_bookings import cards_of, missing_text
from eaas_tui.model.columns import Cell, Column, Row, Tone
from eaas_tui.model.format import UNKNOWN, duration, unix
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

COLUMNS: Final = (
    Column(key="id", title="BOOKING", width=7, align="right"),
    Column(key="state", title="", width=9),
    Column(key="whose", title="FOR", width=24, min_width=8, flex=1),
    Column(key="gpus", title="CARDS", width=5, align="right"),
    Column(key="from", title="FROM", width=11),
    Column(key="to", title="TO", width=11),
    Column(key="in", title="LEFT", width=6, align="right", rank=2),
    Column(key="pool", title="POOL", width=12, min_width=7, rank=4),
    Column(key="where", title="WHERE", width=20, min_width=8, flex=1, rank=3),
    Column(key="note", title="NOTE", width=16, min_width=8, flex=1, rank=5),
)

NO_BOOKINGS: Final = (
    "Nothing is booked. An admin books with: mini-eaas book --gpus 2 --from 14:00 --for 3h"
)

_TONES: Final[Mapping[str, Tone]] = {"running": "good", "ahead": "plain", "over": "muted"}


def booking_rows(picture: Picture, now: float, zone: tzinfo | None = None) -> Rows[int]:
    """Return those that are not over, by their numbers; times are those of the zone, or of here."""
    live = [one for one in picture.bookings.values() if one.state != "over"]
    keys = [one.id for one in sorted(live, key=lambda one: (one.start, one.id))]
    return Rows(keys, lambda id: booking_row(picture.bookings[id], now, zone))


def booking_row(one: BookingView, now: float, zone: tzinfo | None = None) -> Row:
    """Return one booking's row; what is left is until it begins, or until it ends."""
    state = f"{one.missing} missing" if one.missing else one.state
    tone: Tone = "warn" if one.missing else _TONES.get(one.state, "plain")
    next_at = unix(one.end if one.state == "running" else one.start)
    return Row(
        (
            str(one.id),
            Cell(state, tone),
            one.user if one.user is not None else f"{one.pool}/{one.queue}",
            str(one.gpus),
            day_and_time(one.start, zone),
            day_and_time(one.end, zone),
            UNKNOWN if next_at is None else duration(max(0.0, next_at - now)),
            one.pool,
            cards_of(one) or UNKNOWN,
            one.note or "",
        )
    )


def day_and_time(at: str, zone: tzinfo | None = None) -> str:
    """Return a moment to the minute: ``12-01 14:00``."""
    try:
        return datetime.fromisoformat(at).astimezone(zone).strftime("%m-%d %H:%M")
    except (ValueError, OverflowError):
        return UNKNOWN


def booking_lines(one: BookingView | None) -> list[str]:
    """Return who made a booking and what for, and what of it is not as it should be."""
    if one is None:
        return []
    made = f"Made by {one.created_by}"
    lines = [f"{made}: {one.note}" if one.note else made]
    if one.missing:
        lines.append(missing_text(one))
    lines += [f"card {card.index} of {card.node} {card.text}" for card in one.cards if card.text]
    return lines
