"""What keeps a job on several nodes waiting, in its own words: of nodes it needs enough at once."""

from collections.abc import Sequence

from eaas import reasons as r
from eaas.gang_reasons import PoolTooSmall, TooFewNodes
from eaas_daemon.core.admission import impossible
from eaas_daemon.core.ask import Ask
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State


def too_few(
    state: State, pool: Pool, ask: Ask, nodes: Sequence[r.NodeReason], *, never: bool
) -> TooFewNodes | PoolTooSmall | None:
    """Return that too few nodes could take the job now, or with ``never`` ever; None if enough do.

    ``nodes`` is why those do not that don't. One that needs a single node has no such reason.
    """
    if ask.num_nodes == 1:
        return None
    if never:
        found = impossible(state, pool, ask)
        return next((reason for reason in found if isinstance(reason, PoolTooSmall)), None)
    here = sum(name in state.nodes for name in pool.members)
    able = here - len({reason.node for reason in nodes})
    if able >= ask.num_nodes:
        return None
    return TooFewNodes(asked=ask.num_nodes, available=able)


def called(job: Job) -> str:
    """Return how the job is called where it is spoken of as a whole."""
    return str(job.array) if job.is_rank else job.called


def fewer_nodes(reason: r.Reason | None) -> tuple[str, ...]:
    """Return what a person could change about the number of nodes so that the job can start."""
    if not isinstance(reason, PoolTooSmall) or reason.available == 0:
        return ()
    nodes = "node" if reason.available == 1 else "nodes"
    return (f"ask for {reason.available} {nodes} or fewer with num_nodes",)
