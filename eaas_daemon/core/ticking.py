"""What the passing of time does: backoffs end, and nodes that stay silent go offline."""

from itertools import islice
from typing import Final

from msgspec.structs import replace

from eaas_daemon.core import adoption, booking_moments, clock_back, links
from eaas_daemon.core.events import Tick
from eaas_daemon.core.mass_loss import freezes
from eaas_daemon.core.model import Node
from eaas_daemon.core.preempt import matured
from eaas_daemon.core.silence import go_offline
from eaas_daemon.core.state import State
from eaas_daemon.core.trust import expire
from eaas_daemon.core.usage import spent

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
    clock_back.look(state, now)
    for uid in state.aside.due(now):
        state.put_job(replace(state.jobs[uid], not_before=None, pending_since=now))
    booking_moments.turn(state, now)
    _begin_to_hold(state, now)
    if state.last_tick_at is not None:
        state.restless |= matured(state, state.last_tick_at, now)
    if state.last_tick_at is None or abs(now - state.last_tick_at) > STALL_S:
        state.quiet_until = now + START_GRACE_S
    last = state.last_tick_at
    state.put_tick(now)
    adoption.try_again(state, now)
    expire(state, now if last is None else last, now)
    if now >= state.quiet_until:
        _judge_silence(state, now)
    for node in list(state.nodes.values()):
        links.watch(state, node, now)
    for what, at in list(islice(state.refused.items(), 64)):
        if at + links.TELL_EVERY_S < now:
            del state.refused[what]
    for key, row in list(islice(state.keys.items(), 64)):
        if row.at + KEYS_KEPT_S < now:
            del state.keys[key]
    for whose in spent(state.usage, state.pools, now):
        del state.usage[whose]


def _begin_to_hold(state: State, now: float) -> None:
    """Plan anew for the pools whose first job has waited long enough since the last tick."""
    last = state.last_tick_at
    for kept in state.every_reservation():
        since = kept.holds_from
        if since is not None and since <= now and (last is None or last < since):
            state.restless.add(kept.pool)


def _judge_silence(state: State, now: float) -> None:
    """Count no more on nodes that are silent for long, unless that is likely our own network."""
    is_frozen = freezes(state, now, OFFLINE_AFTER_S)
    for node in list(state.nodes.values()):
        if node.session is not None or node.offline or _silent_s(node, now) <= OFFLINE_AFTER_S:
            continue
        end = node.link.last_end
        if not is_frozen or (end is not None and end.by == "agent"):
            go_offline(state, node, now)


def _silent_s(node: Node, now: float) -> float:
    return now - (node.last_seen_at or 0.0)
