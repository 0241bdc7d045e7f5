"""What is booked of each pool at a moment. Nothing here names a person."""

from collections.abc import Iterator

from eaas_daemon.core.booking_picture import booking_view
from eaas_daemon.core.state import State
from eaas_daemon.metrics.family import Family, gauge


def booking_families(state: State, now: float) -> Iterator[Family]:
    """Yield what runs of the bookings; ``now`` is Unix seconds."""
    booked = dict.fromkeys(sorted(map(str, state.pools)), 0)
    missing = dict(booked)
    for booking in state.bookings.values():
        if booking.phase(now) == "running" and booking.pool in booked:
            booked[booking.pool] += booking.gpus
            missing[booking.pool] += booking_view(state, booking, now).missing
    yield gauge(
        "pool_cards_booked",
        "Cards of the pool that are booked for somebody now",
        ("pool",),
        [((pool,), count) for pool, count in booked.items()],
    )
    yield gauge(
        "pool_booked_cards_missing",
        "Booked cards that those for whom they are booked do not have: others' jobs are there,"
        " or they can't be had",
        ("pool",),
        [((pool,), count) for pool, count in missing.items()],
    )
