"""Which jobs stand in the way of one that waits."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from eaas import reasons as r
from eaas.lifecycle import JobState
from eaas.preempt_reasons import MakingRoom
from eaas.units import utc_text
from eaas.why_views import BlockerView
from eaas_daemon.core.ask import ask_of, shape_of
from eaas_daemon.core.booking_bars import note_bookings, stays_booked
from eaas_daemon.core.fit import Room, refusal
from eaas_daemon.core.followers import is_followed
from eaas_daemon.core.forecast import end_of
from eaas_daemon.core.making_room import stopped_by
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import kept_from, kept_rooms
from eaas_daemon.core.rooms import room_without
from eaas_daemon.core.state import State

Caps = r.QueueFull | r.UserCap | r.ArrayFull | r.CapReserved


def blockers(
    state: State, job: Job, above: Sequence[tuple[object, r.Reason]], now: float
) -> tuple[BlockerView, ...]:
    """Name the jobs whose end would let the job start, those that end first at the top.

    ``above`` is what is shut above the nodes, each with its scope; ``now`` is Unix seconds. Nobody
    is in the way where no end of others helps: of a paused queue, or on a node that is drained or
    whose cards are used from outside.
    """
    if job.waits_for:
        first = [one for one in _placed(state) if is_followed(one, job)]
        return _views(state, first, now)
    if (making := next((x for _, x in above if isinstance(x, MakingRoom)), None)) is not None:
        return _views(state, [one for one in _placed(state) if one.number in making.jobs], now)
    caps = [reason for _, reason in above if isinstance(reason, Caps)]
    if len(caps) < len(above) or not all(map(_opens, caps)):
        return ()
    on_nodes = _on_nodes(state, job, now)
    if on_nodes is None:
        return ()
    found = {one.uid: one for one in on_nodes}
    found |= {one.uid: one for cap in caps for one in _counted(state, job, cap)}
    return _views(state, found.values(), now)


def _placed(state: State) -> Iterator[Job]:
    return (one for jobs in state.placed.values() for one in jobs.values())


def _opens(cap: Caps) -> bool:
    """Tell whether the cap lets the job start once others have ended."""
    return isinstance(cap, r.CapReserved | r.ArrayFull) or cap.asked <= cap.limit


def _on_nodes(state: State, job: Job, now: float) -> list[Job] | None:
    """Return who has what the job needs, on every node that could take it then; None if none
    could, however many end, and nobody if there is room already.
    """
    ask, pool = ask_of(job), state.pools[job.pool]
    rooms = kept_rooms(state, now)
    found: list[Job] = []
    is_open = could_be = 0
    for name in sorted(pool.members.keys() & rooms.keys()):
        room = rooms[name]
        if refusal(room, ask, pool) is None and _is_open(state, room, job, now):
            is_open += 1
        elif (in_the_way := _in_the_way(state, room, job, now)) is not None:
            could_be += 1
            found += in_the_way
    if is_open >= ask.num_nodes:
        return []
    return found if is_open + could_be >= ask.num_nodes else None


def _is_open(state: State, room: Room, job: Job, now: float) -> bool:
    return kept_from(state, room, job, shape_of(job), now) is None


def _in_the_way(state: State, room: Room, job: Job, now: float) -> list[Job] | None:
    """Return the placed jobs without which the node could take the job; None if it could not."""
    ask, pool, node = ask_of(job), state.pools[job.pool], room.node
    placed = state.placed.get(node.name, {}).values()
    there = [other for other in placed if not stays_booked(state, job, other, now)]
    with_cards = [other for other in there if other.attempts[-1].cards]
    for some in (with_cards, there) if ask.gpus else (there,):
        without = room_without(state, node, some)
        note_bookings(state, {node.name: without}, now)
        is_booked = isinstance(kept_from(state, without, job, shape_of(job), now), r.Booking)
        if refusal(without, ask, pool) is None and not is_booked:
            return some
    return None


def _counted(state: State, job: Job, cap: Caps) -> list[Job]:
    """Return what runs of the jobs whose end opens the cap."""
    if isinstance(cap, r.CapReserved):
        own = (job.ref, cap.queue)
        user = job.user, job.pool
        return [x for x in _placed(state) if x.ref in own or (x.user, x.pool) == user]
    if isinstance(cap, r.ArrayFull):
        return [one for one in _placed(state) if one.array == cap.array]
    placed = [x for x in _placed(state) if cap.what == "jobs" or x.spec.gpus]
    if isinstance(cap, r.QueueFull):
        return [one for one in placed if one.ref == job.ref]
    is_pools = cap.where == f"pool {job.pool}"
    mine = [one for one in placed if one.user == job.user and one.pool == job.pool]
    return [one for one in mine if is_pools or one.ref == job.ref]


def _views(state: State, jobs: Iterable[Job], now: float) -> tuple[BlockerView, ...]:
    """Return the jobs that are in the way, those that end first at the top."""
    views = [_blocker(state, job, now) for job in jobs]
    return tuple(sorted(views, key=lambda view: (view.ends_at or "~", view.job)))


def _blocker(state: State, job: Job, now: float) -> BlockerView:
    attempt = job.attempts[-1]
    ends_at, kind = _end(state, job, now)
    return BlockerView(
        job=job.number,
        user=job.user,
        node=attempt.node,
        cards=tuple(card.uuid for card in attempt.cards),
        ends_at=ends_at,
        ends_kind=kind,
        ref=None if job.array is None else job.called,
    )


def _end(
    state: State, job: Job, now: float
) -> tuple[str | None, Literal["certain", "estimate", "unknown"]]:
    """Return when it ends: at its timeout, or when its like usually do."""
    stopped = stopped_by(state, job)
    if stopped is not None and job.state is JobState.STOPPING:
        return utc_text(max(now, stopped)), "estimate"
    started_at = job.attempts[-1].started_at
    if started_at is None or job.state is JobState.UNKNOWN:
        return None, "unknown"
    if job.timeout_s is not None:
        return utc_text(started_at + job.timeout_s), "certain"
    end = end_of(state, job, now)
    return (None, "unknown") if end is None else (utc_text(end), "estimate")
