"""What a node's silence means: it takes no new work, and nobody knows how its jobs are doing."""

from msgspec.structs import replace

from eaas import reasons as r
from eaas.lifecycle import JobState, Verb
from eaas.units import utc_text
from eaas_daemon.core import links
from eaas_daemon.core.advance import advance
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.state import State


def go_offline(state: State, node: Node, now: float) -> None:
    """Count on the node for nothing until it speaks again."""
    state.put_node(replace(node, offline=True, offline_since=node.last_seen_at), durable=True)
    links.tell_of_silence(state, node, now)
    since = utc_text(node.last_seen_at or now)
    for job in list(state.placed.get(node.name, {}).values()):
        if job.state is not JobState.UNKNOWN:
            lose_sight(state, job, since, now)


def lose_sight(state: State, job: Job, since: str, now: float) -> None:
    """Say that nobody knows how the job is doing. It keeps its node and cards."""
    node = job.attempts[-1].node
    reason = r.NodeSilent(node=node, since=since)
    state.put_job(replace(advance(job, Verb.NODE_SILENT), reason=reason))
    words = f"job {job.called} may still run on {node}, which is silent"
    state.journal("job.unknown", words, now, job=job.number, node=node, user=job.user)
