"""What a job that has been promised its moment still needs at that moment beside room: its caps.

A job that goes ahead on other cards does not take the room that is kept, but it may take the last
job or card that the promised job's queue or user may have; then that one would stand before a shut
gate, and lose its turn, though its cards are free in time. So that is kept for it from the first:
also from who would be gone by then. ``cap_places`` says for whom else a cap is kept.
"""

from eaas import reasons as r
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.cap_places import kept_before
from eaas_daemon.core.gates import gate, may_shut
from eaas_daemon.core.model import Job, Pool, Reservation
from eaas_daemon.core.reserve import overrides
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally


def cap_kept(
    state: State, job: Job, shape: Shape, kept: Reservation | None, held: Tally
) -> r.CapReserved | None:
    """Return for whom the rest of a cap is kept that the job would need; None if it may have it.

    ``kept`` is what is kept for a job of its pool, ``held`` what those have that are placed.
    """
    if (holder := kept_before(state, job, shape)) is not None:
        return r.CapReserved(queue=holder.ref, job=holder.number, user=holder.user)
    if kept is None or kept.uid == job.uid or not kept.is_promise:
        return None
    head, pool = state.jobs[kept.uid], state.pools[job.pool]
    if not _share_a_cap(state, job, head, pool) or overrides(state, job, shape, kept):
        return None
    with_it = held.copy()
    nodes = shape.ask.num_nodes
    with_it.count(pool.name, shape.ref, shape.user, nodes, nodes * shape.ask.gpus, shape.limit)
    if gate(shape_of(head), state.queues[head.ref], pool, with_it) is None:
        return None
    return r.CapReserved(queue=head.ref, job=head.number, user=head.user)


def _share_a_cap(state: State, job: Job, head: Job, pool: Pool) -> bool:
    """Tell whether one of the two counts for what the other may have."""
    if not may_shut(shape_of(head), state.queues[head.ref], pool):
        return False
    if job.ref == head.ref or (job.array is not None and job.array == head.array):
        return True
    return pool.max_gpus_per_user is not None and job.user == head.user
