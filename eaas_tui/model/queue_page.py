"""What the screen of one queue says: its rules, who waits in it, and how its pool is shared."""

from collections.abc import Iterator, Sequence
from typing import Final

from eaas.booking_views import BookingView
from eaas.cli.words import many, moment
from eaas.lifecycle import JobState
from eaas.units import format_duration
from eaas.views import JobView, PoolUserView, PoolView, QueueView
from eaas_tui.model.columns import Cell
from eaas_tui.model.format import age, gpus, of_limit
from eaas_tui.model.picture import Picture
from eaas_tui.model.text_lines import BLANK, TextLine, heading, table, text

LABEL: Final = 15
FIRST: Final = 10
"""So many of those who wait are named."""
LAST: Final = 1 << 62


def queue_title(queue: QueueView) -> TextLine:
    """Return the line above everything: which queue it is, and whether it is open."""
    state = Cell("paused: nothing starts", "warn") if queue.paused else Cell("open", "good")
    return text(
        Cell(f"queue {queue.ref}  ", "strong"),
        state,
        f"  {queue.running} running, {queue.waiting} waiting",
    )


def queue_page(queue: QueueView, picture: Picture, now: float) -> list[TextLine]:
    """Return the page; ``now`` in Unix seconds."""
    lines = list(_rules(queue))
    if (pool := picture.pools.get(queue.pool)) is not None:
        lines += [BLANK, *_pool(pool)]
    if waiting := _waiting(queue, picture):
        lines += [BLANK, heading("FIRST IN LINE"), *_line_up(waiting, now)]
    booked = [one for one in picture.bookings.values() if one.pool == queue.pool]
    if booked:
        lines += [BLANK, heading("BOOKED"), *_booked(booked)]
    return lines


def _rules(queue: QueueView) -> Iterator[TextLine]:
    """Yield what holds in the queue, a line each; what is not set has none."""
    pairs = (
        ("priority", f"{queue.priority}: queues with more go first, those with less later"),
        ("running", _of(queue.running, queue.max_running)),
        ("cards held", _of(queue.gpus_held, queue.max_gpus)),
        ("waiting", _of(queue.waiting, queue.max_pending)),
        ("a person", _person(queue)),
        ("job priority", None if queue.max_priority is None else f"{queue.max_priority} at most"),
        ("timeout", _timeout(queue)),
        ("reservation", _holds(queue.hold_after_s)),
        ("preemptible", _preemptible(queue)),
        ("idle jobs", _after("stopped after", queue.idle_after_s)),
        ("silent nodes", _after("their jobs start elsewhere after", queue.requeue_after_s)),
        ("open to", ", ".join(queue.allow) or "everybody"),
    )
    for label, value in pairs:
        if value:
            yield text(Cell(f"{label:<{LABEL}}", "muted"), value, indent=LABEL)


def _of(used: int, most: int | None) -> str:
    return str(used) if most is None else f"{used} of {most} at most"


def _person(queue: QueueView) -> str | None:
    caps = [
        None if queue.max_per_user is None else f"{many(queue.max_per_user, 'job')} at once",
        None if queue.max_gpus_per_user is None else many(queue.max_gpus_per_user, "card"),
    ]
    told = " and ".join(filter(None, caps))
    return f"{told} at most" if told else None


def _timeout(queue: QueueView) -> str | None:
    parts = [
        None if queue.timeout_s is None else f"{format_duration(queue.timeout_s)} if none is asked",
        None if queue.max_timeout_s is None else f"{format_duration(queue.max_timeout_s)} at most",
    ]
    return ", ".join(filter(None, parts)) or None


def _holds(hold_after_s: float | None) -> str:
    if hold_after_s is None:
        return "none where nobody knows when others end"
    after = format_duration(hold_after_s)
    return f"freed cards are kept for its first job after {after}, where nobody knows their ends"


def _preemptible(queue: QueueView) -> str:
    if not queue.preemptible:
        return "no"
    return "yes: its jobs may be interrupted for queues with a higher priority, and go on later"


def _after(what: str, seconds: float | None) -> str | None:
    return None if seconds is None else f"{what} {format_duration(seconds)}"


def _waiting(queue: QueueView, picture: Picture) -> list[JobView]:
    """Return those that wait, in their order."""
    found = [
        job
        for job in picture.jobs.values()
        if job.state == JobState.PENDING and (job.pool, job.queue) == (queue.pool, queue.name)
    ]
    return sorted(found, key=lambda job: (job.position or LAST, job.id))


def _line_up(waiting: Sequence[JobView], now: float) -> list[TextLine]:
    """Return the first of those who wait: places count in the whole pool."""
    rows = [
        (
            "-" if job.position is None else f"#{job.position}",
            job.ref,
            job.name,
            job.user,
            str(gpus(job)),
            age(job.created_at, now),
            None if job.reason is None else job.reason.text,
        )
        for job in waiting[:FIRST]
    ]
    lines = table(("PLACE", "JOB", "NAME", "USER", "GPU", "FOR", "WAITS FOR"), rows)
    if (left := len(waiting) - FIRST) > 0:
        lines.append(text(Cell(f"and {left} more", "muted")))
    return lines


def _pool(pool: PoolView) -> Iterator[TextLine]:
    cards = f"{pool.cards_held} of {many(pool.cards_total, 'card')} held"
    yield heading(f"POOL {pool.name}: {cards}, {pool.cards_free} free")
    half = format_duration(pool.half_life_s)
    fair = f"who has used least of late goes first; use counts half as much after {half}"
    cap = pool.max_gpus_per_user
    most = "" if cap is None else f"; nobody holds more than {many(cap, 'card')} at once"
    yield text(Cell(f"{fair}{most}", "muted"))
    yield from table(("USER", "RUNNING", "CARDS", "CARD HOURS OF LATE"), map(_user, pool.users))


def _user(user: PoolUserView) -> Sequence[str]:
    return user.user, str(user.running), str(user.gpus_held), f"{user.card_hours:g}"


def _booked(bookings: Sequence[BookingView]) -> list[TextLine]:
    """Return the pool's bookings, those that begin first before the others."""
    rows = [
        (
            str(one.id),
            one.user or f"queue {one.queue}",
            of_limit(one.gpus - one.missing, one.gpus),
            moment(one.start),
            moment(one.end),
            "now" if one.state == "running" else one.state,
        )
        for one in sorted(bookings, key=lambda one: (one.start, one.id))
    ]
    return table(("NO", "FOR", "CARDS", "FROM", "TO", ""), rows)
