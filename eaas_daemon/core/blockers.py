"""Which jobs stand in the way of one that waits."""

from collections.abc import Iterable, Sequence
from typing import Literal

from eaas import reasons as r
from eaas.lifecycle import JobState
from eaas.preempt_reasons import MakingRoom
from eaas.units import utc_text
from eaas.why_views import BlockerView
from eaas_daemon.core.ask import ask_of
from eaas_daemon.core.booking_bars import stays_booked
from eaas_daemon.core.forecast import end_of
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def blockers(
    state: State,
    job: Job,
    above: Sequence[tuple[object, r.Reason]],
    nodes: Sequence[r.NodeReason],
    now: float,
) -> tuple[BlockerView, ...]:
    """Name the jobs whose end would let the job start, those that end first at the top.

    ``above`` is what is shut above the nodes, each with its scope, ``nodes`` is why each node does
    not take the job; ``now`` is Unix seconds. Nodes that could never run it hold
    nothing that it waits for.
    """
    if above:
        return _views(state, _counted(state, job, above[0][1]), now)
    never = {reason.node for reason in nodes if reason.never}
    members = [name for name in state.pools[job.pool].members if name not in never]
    wants_cards = ask_of(job).gpus > 0
    placed = (
        other
        for name in members
        for other in state.placed.get(name, {}).values()
        if not wants_cards or other.attempts[-1].cards
        if not stays_booked(state, job, other, now)
    )
    return _views(state, placed, now)


def _counted(state: State, job: Job, first: r.Reason) -> list[Job]:
    """Return what runs of the jobs whose end opens what is shut above the nodes."""
    placed = (one for jobs in state.placed.values() for one in jobs.values())
    if isinstance(first, r.QueueFull):
        return [one for one in placed if one.ref == job.ref]
    if isinstance(first, r.CapReserved):
        own = (job.ref, first.queue)
        return [
            one for one in placed if one.ref in own or (one.user, one.pool) == (job.user, job.pool)
        ]
    if isinstance(first, r.ArrayFull):
        return [one for one in placed if one.array == first.array]
    if isinstance(first, r.UserCap):
        is_pools = first.where == f"pool {job.pool}"
        mine = [one for one in placed if one.user == job.user and one.pool == job.pool]
        return [one for one in mine if is_pools or one.ref == job.ref]
    if isinstance(first, MakingRoom):
        return [one for one in placed if one.number in first.jobs]
    return [one for one in placed if one.number in job.waits_for]


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
    )


def _end(
    state: State, job: Job, now: float
) -> tuple[str | None, Literal["certain", "estimate", "unknown"]]:
    """Return when it ends: at its timeout, or when its like usually do."""
    started_at = job.attempts[-1].started_at
    if started_at is None or job.state is JobState.UNKNOWN:
        return None, "unknown"
    if job.timeout_s is not None:
        return utc_text(started_at + job.timeout_s), "certain"
    end = end_of(state, job, now)
    return (None, "unknown") if end is None else (utc_text(end), "estimate")
