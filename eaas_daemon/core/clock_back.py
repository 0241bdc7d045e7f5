"""The controller's clock was far ahead and is right again: nothing may wait until it gets there.

Whatever was noted meanwhile bears a moment that is still to come. It happened by now at the latest,
so that is what it says from here on.
"""

from typing import Final

from msgspec.structs import replace

from eaas_daemon.core.attempts import MAX_INFRA_BACKOFF_S
from eaas_daemon.core.mass_loss import FROZEN_S
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.so_far import count_on
from eaas_daemon.core.state import State

AHEAD_S: Final = 5.0
"""A clock that is set goes back a little every now and then; only more than this is mended."""


def look(state: State, now: float) -> None:
    """Bring back to ``now`` what was noted while the clock was ahead."""
    last = state.last_tick_at
    if last is not None and now >= last:
        return
    latest = now + AHEAD_S
    if (last is not None and last > latest) or _is_use_ahead(state, latest):
        for name in sorted(state.pools):
            count_on(state, name, now)
        state.put_clock_back(now)
    loss = state.mass_loss
    if loss is not None and loss.until > latest + FROZEN_S:
        state.put_mass_loss(replace(loss, since=min(loss.since, now), until=now + FROZEN_S))
    for job in list(state.jobs.values()):
        if (mended := _mended(job, now)) is not job:
            state.put_job(mended)
    for node in list(state.nodes.values()):
        if (node.last_seen_at or 0.0) > latest:
            state.put_node(_seen(node, now), durable=True)


def _is_use_ahead(state: State, latest: float) -> bool:
    moments = [used.as_of for used in state.usage.values()]
    moments += [pool.used.as_of for pool in state.pools.values() if pool.used is not None]
    return max(moments, default=0.0) > latest


def _mended(job: Job, now: float) -> Job:
    latest = now + AHEAD_S
    if job.since > latest:
        job = replace(job, pending_since=now)
    is_backoff = job.attempts and job.not_before != job.spec.not_before
    until = now + max(MAX_INFRA_BACKOFF_S, job.spec.restart.backoff_s)
    if is_backoff and job.not_before is not None and job.not_before > until:
        job = replace(job, not_before=until)
    live = job.live_attempt
    if live is not None and live.created_at > latest:
        job = replace(job, attempts=(*job.attempts[:-1], replace(live, created_at=now)))
    return job


def _seen(node: Node, now: float) -> Node:
    since = node.offline_since
    return replace(node, last_seen_at=now, offline_since=None if since is None else min(since, now))
