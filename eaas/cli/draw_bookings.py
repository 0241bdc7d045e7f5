"""What people see of bookings."""

import time
from collections.abc import Iterable, Sequence

from eaas.booking_views import BookingView
from eaas.cli.local_times import local, moment_here, span_here, zone_of
from eaas.cli.output import Block, Facts, Lines, Table
from eaas.cli.words import many

NONE_YET = "nothing is booked; mini-eaas book --help says how"


def booking_table(bookings: Sequence[BookingView]) -> Table:
    """Return the list of bookings, in this machine's time zone."""
    here = zone_of(local(time.time()))
    columns = ("ID", "FOR", "POOL", "GPUS", f"FROM, {here}", "TO", "STATE", "CARDS", "NOTE")
    rows = [
        (
            str(one.id),
            whose(one),
            one.pool,
            str(one.gpus),
            moment_here(one.start),
            moment_here(one.end),
            state_text(one),
            cards_of(one),
            one.note,
        )
        for one in bookings
    ]
    return Table(columns, rows, when_empty=NONE_YET)


def booking_card(one: BookingView) -> Iterable[Block]:
    """Yield everything about one booking."""
    kind = f" of {one.gpu_type}" if one.gpu_type else ""
    yield Facts(
        [
            ("booking", str(one.id)),
            ("for", whose(one)),
            ("what", f"{many(one.gpus, 'card')}{kind} of pool {one.pool}"),
            ("when", span_here(one.start, one.end)),
            ("cards", cards_of(one)),
            ("note", one.note),
        ]
    )
    yield Lines([f"card {c.index} of {c.node} {c.text}" for c in one.cards if c.text])
    if one.missing > one.gpus - len(one.cards) or len(one.cards) < one.gpus:
        yield Lines([missing_text(one)])


def whose(one: BookingView) -> str:
    """Return for whom it is."""
    return one.user if one.user is not None else f"queue {one.pool}/{one.queue}"


def state_text(one: BookingView) -> str:
    """Return whether it runs, and how many of its cards it lacks."""
    return f"{one.state}, {one.missing} missing" if one.missing else one.state


def cards_of(one: BookingView) -> str | None:
    """Return its cards, node by node: ``node-a 0,1; node-b 3``."""
    by_node: dict[str, list[str]] = {}
    for card in one.cards:
        by_node.setdefault(card.node, []).append(str(card.index))
    return "; ".join(f"{node} {','.join(cards)}" for node, cards in by_node.items()) or None


def missing_text(one: BookingView) -> str:
    """Return in a sentence what it lacks."""
    count = many(one.missing, "card")
    if one.state == "running":
        return f"{count} of it {'is' if one.missing == 1 else 'are'} not there yet"
    return f"{count} of it will not be there at its start, as things stand"
