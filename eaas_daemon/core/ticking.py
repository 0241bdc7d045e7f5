"""What the passing of time does: backoffs end, and nodes that stay silent go offline."""

from itertools import islice
from typing import Final

from msgspec.structs import replace

from eaas import reasons as r
from eaas.lifecycle import JobState, Verb
from eaas.units import utc_text
from eaas_daemon.core.attempts import advance
from eaas_daemon.core.events import Tick
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.state import State

OFFLINE_AFTER_S: Final = 20.0
"""Silence after which a node takes no new work and its jobs are Unknown."""

START_GRACE_S: Final = 120.0
"""After its own start or stall the controller gives every node this long to speak: the pause was
ours, not theirs."""

STALL_S: Final = 5.0
"""Ticks further apart than this, either way, mean that the controller itself stood still or that
its clock was set."""

KEYS_KEPT_S: Final = 3600.0
"""How long idempotency keys stay in memory; the store keeps them for longer."""


def tick(state: State, _event: Tick, now: float) -> None:
    """Let the clock have its say."""
    for uid, until in list(state.delayed.items()):
        if until <= now:
            state.put_job(replace(state.jobs[uid], not_before=None))
    if state.last_tick_at is None or abs(now - state.last_tick_at) > STALL_S:
        state.quiet_until = now + START_GRACE_S
    state.last_tick_at = now
    for node in list(state.nodes.values()) if now >= state.quiet_until else ():
        if node.session is None and not node.offline and _silent_s(node, now) > OFFLINE_AFTER_S:
            _go_offline(state, node, now)
    for key, row in list(islice(state.keys.items(), 64)):
        if row.at + KEYS_KEPT_S < now:
            del state.keys[key]


def _silent_s(node: Node, now: float) -> float:
    return now - (node.last_seen_at or 0.0)


def _go_offline(state: State, node: Node, now: float) -> None:
    state.put_node(replace(node, offline=True, offline_since=node.last_seen_at), durable=True)
    since = utc_text(node.last_seen_at or now)
    state.journal("node.offline", f"{node.name} is silent since {since}", now, node=node.name)
    for job in list(state.placed.get(node.name, {}).values()):
        if job.state is not JobState.UNKNOWN:
            lose_sight(state, job, since, now)


def lose_sight(state: State, job: Job, since: str, now: float) -> None:
    """Say that nobody knows how the job is doing. It keeps its node and cards."""
    node = job.attempts[-1].node
    reason = r.NodeSilent(node=node, since=since)
    state.put_job(replace(advance(job, Verb.NODE_SILENT), reason=reason))
    words = f"job {job.number} may still run on {node}, which is silent"
    state.journal("job.unknown", words, now, job=job.number, node=node, user=job.user)
