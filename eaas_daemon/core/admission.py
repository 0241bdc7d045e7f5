"""Whether a job may come into a queue at all."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from eaas import reasons as r
from eaas.errors import FieldError, Forbidden, Invalid, NeverFits, QueueFull
from eaas.gang_reasons import PoolTooSmall
from eaas.ids import PoolName, queue_ref
from eaas.job_spec import JobSpec
from eaas.sentences import sentence
from eaas.spelling import nearest
from eaas.units import format_duration
from eaas_daemon.core.ask import Ask, ask_of
from eaas_daemon.core.events import Caller
from eaas_daemon.core.fit import every_never, never
from eaas_daemon.core.model import Job, Pool, Queue
from eaas_daemon.core.mounted import mount_hint
from eaas_daemon.core.state import State


def queue_for(state: State, spec: JobSpec) -> tuple[Pool, Queue]:
    """Return the pool and queue that the job goes to, or refuse with the names there are."""
    pool = _pool_for(state, spec)
    queue = state.queues.get(queue_ref(pool.name, spec.queue))
    if queue is None:
        names = sorted(q.name for q in state.queues.values() if q.pool == pool.name)
        raise _no_such("queue", f"{pool.name} has no queue {spec.queue}", spec.queue, names)
    return pool, queue


def _pool_for(state: State, spec: JobSpec) -> Pool:
    names = sorted(state.pools)
    if spec.pool is not None:
        if (pool := state.pools.get(PoolName(spec.pool))) is not None:
            return pool
        raise _no_such("pool", f"there is no pool {spec.pool}", spec.pool, names)
    if len(names) == 1:
        return state.pools[PoolName(names[0])]
    if (pool := state.pools.get(PoolName("default"))) is not None:
        return pool
    if names:
        message = f"say which pool: {', '.join(names)}"
    else:
        message = "there is no pool yet; make one with: mini-eaas pool create NAME"
    raise Invalid((FieldError(field="pool", message=message),))


def _no_such(field: str, fact: str, word: str, names: Sequence[str]) -> Invalid:
    listed = f"; there are: {', '.join(names)}" if names else "; there is none yet"
    near = nearest(word, names)
    return Invalid((FieldError(field=field, message=fact + listed, suggestion=near),))


Possible = set[tuple[PoolName, Ask]]
"""Asks that some node of the pool could carry out; good for as long as no node changes."""


def admit(
    state: State,
    job: Job,
    queue: Queue,
    caller: Caller,
    *,
    force: bool,
    possible: Possible | None = None,
    more: int = 1,
) -> None:
    """Refuse the job if its queue does not take it or no node could ever run it.

    ``more`` is how many come: it stands for itself and for others that are alike.
    ``possible`` is shared by jobs that come together: most of them ask for the same.
    """
    errors = [
        *_over_limits(job, queue),
        *_over_caps(job, state.pools[job.pool], queue),
        *_unknown_nodes(state, job),
    ]
    if errors:
        raise Invalid(tuple(errors))
    if queue.allow and caller.user not in queue.allow and not caller.admin:
        raise Forbidden(f"queue {queue.ref} is for {', '.join(queue.allow)}")
    check_priority(job.priority, queue, caller)
    refuse_overfull(state, queue, more)
    if not force:
        refuse_impossible(state, job, set() if possible is None else possible)


def check_priority(priority: int, queue: Queue, caller: Caller) -> None:
    """Refuse a priority that the queue does not allow this caller."""
    limit = queue.max_priority
    if limit is not None and priority > limit and not caller.admin:
        message = f"priority must be {limit} at most in {queue.ref}, not {priority}"
        raise Invalid((FieldError(field="priority", message=message),))
    if not -100 <= priority <= 100:
        message = f"priority must be from -100 to 100, not {priority}"
        raise Invalid((FieldError(field="priority", message=message),))


def refuse_overfull(state: State, queue: Queue, more: int) -> None:
    """Refuse that many more jobs if the queue would have more of them waiting than it takes."""
    limit, waiting = queue.max_pending, state.waiting(queue.ref)
    if limit is None or waiting + more <= limit:
        return
    if more == 1:
        raise QueueFull(f"{waiting} jobs wait in {queue.ref}, which is all it takes")
    raise QueueFull(
        f"{queue.ref} takes {limit} waiting jobs and has {waiting}: {more} tasks are "
        f"{waiting + more - limit} too many"
    )


def _over_caps(job: Job, pool: Pool, queue: Queue) -> list[FieldError]:
    """Name the caps that the job alone is more than: it would wait for ever."""
    caps = (
        (queue.max_gpus, f"queue {queue.ref} has {{}} at once"),
        (queue.max_gpus_per_user, f"queue {queue.ref} gives one user {{}} at once"),
        (pool.max_gpus_per_user, f"pool {pool.name} gives one user {{}} at once"),
    )
    num_nodes = job.spec.num_nodes
    what = "gpus" if num_nodes == 1 else "gpus, on all nodes together,"
    return [
        *_over_job_caps(num_nodes, queue),
        *(
            FieldError(
                field="gpus",
                message=f"{what} must be {cap} at most: {words.format(_cards(cap))}",
            )
            for cap, words in caps
            if cap is not None and job.spec.gpus * num_nodes > cap
        ),
    ]


def _over_job_caps(num_nodes: int, queue: Queue) -> Iterator[FieldError]:
    """Name the caps on jobs that one on several nodes is more than: each node counts as one."""
    for cap, words in ((queue.max_running, "runs"), (queue.max_per_user, "runs, of one user,")):
        if cap is not None and 1 < num_nodes > cap:
            jobs = "1 job" if cap == 1 else f"{cap} jobs"
            message = f"queue {queue.ref} {words} {jobs} at once, and each node counts as one"
            yield FieldError(
                field="num_nodes", message=f"num_nodes must be {cap} at most: {message}"
            )


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _over_limits(job: Job, queue: Queue) -> list[FieldError]:
    limit = queue.max_timeout_s
    if limit is None:
        return []
    text = format_duration(limit)
    if job.timeout_s is None:
        message = f"queue {queue.ref} needs a timeout, of {text} at most"
    elif job.timeout_s > limit:
        message = f"timeout must be {text} at most in queue {queue.ref}"
    else:
        return []
    return [FieldError(field="timeout", message=message)]


def _unknown_nodes(state: State, job: Job) -> list[FieldError]:
    names = [str(name) for name in state.nodes]
    return [
        FieldError(
            field="nodes",
            message=f"there is no node {name}" + (f"; there are: {', '.join(names)}" * bool(names)),
            suggestion=nearest(name, names),
        )
        for name in job.spec.nodes
        if name not in state.nodes
    ]


def impossible(state: State, pool: Pool, ask: Ask) -> list[r.Reason]:
    """Return all that keeps each node of the pool from the ask for ever; empty if it could be run.

    Offline nodes count by what they were known to have; a pool whose nodes are all offline is
    waiting, not impossible. Where some nodes could, but fewer than are asked for, that comes first.
    """
    nodes = [state.nodes[name] for name in pool.members if name in state.nodes]
    if all(node.offline for node in nodes):
        return []
    reasons: list[r.Reason] = []
    able = 0
    for node in nodes:
        own = list(every_never(node, ask, pool))
        able += not own
        if able == ask.num_nodes:
            return []
        reasons += own
    if ask.num_nodes > 1 and (able or not reasons):
        few = PoolTooSmall(pool=pool.name, asked=ask.num_nodes, available=able)
        return [few, *reasons]
    return reasons


def refuse_impossible(state: State, job: Job, possible: Possible) -> None:
    """Refuse a job that no node of its pool could ever run; look only if it isn't possible yet."""
    ask = ask_of(job)
    if (job.pool, ask) in possible:
        return
    if reasons := impossible(state, state.pools[job.pool], ask):
        facts = "; ".join(sentence(reason) for reason in reasons)
        if (meant := mount_meant(state, job)) is not None:
            facts = f"{facts}; {meant}"
        pools = other_pools(state, job)
        hint = f"; pool {' or '.join(pools)} could: --pool {pools[0]}" if pools else ""
        who = "no node" if ask.num_nodes == 1 else f"no {ask.num_nodes} nodes"
        raise NeverFits(f"{who} of pool {job.pool} could ever run this: {facts}{hint}")
    possible.add((job.pool, ask))


def mount_meant(state: State, job: Job) -> str | None:
    """Return which mount of its pool the job may have meant, if it names one that is not there."""
    members = state.pools[job.pool].members
    return mount_hint([state.nodes[name] for name in members if name in state.nodes], ask_of(job))


def other_pools(state: State, job: Job) -> list[str]:
    """Return the pools besides the job's own in which some node could run it."""
    asks = {
        pool.name: ask_of(replace(job, pool=pool.name))
        for pool in state.pools.values()
        if pool.name != job.pool
    }
    return sorted(
        name for name, ask in asks.items() if _able(state, state.pools[name], ask) >= ask.num_nodes
    )


def _able(state: State, pool: Pool, ask: Ask) -> int:
    """Return how many nodes of the pool could ever run it."""
    nodes = [state.nodes[name] for name in pool.members if name in state.nodes]
    return sum(never(node, ask, pool) is None for node in nodes)
