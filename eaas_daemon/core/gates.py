"""What keeps jobs back that have room: pauses, caps and the limits of arrays."""

from collections.abc import Iterator

from eaas import reasons as r
from eaas_daemon.core.ask import Shape
from eaas_daemon.core.model import Pool, Queue
from eaas_daemon.core.tally import Tally


def gate(shape: Shape, queue: Queue, pool: Pool, held: Tally) -> r.Reason | None:
    """Return the first reason why no job of this kind may start now, or None."""
    return next(gates(shape, queue, pool, held), None) if may_shut(shape, queue, pool) else None


def may_shut(shape: Shape, queue: Queue, pool: Pool) -> bool:
    """Tell whether there is any gate at all; most jobs have none."""
    is_capped = queue.has_caps or pool.max_gpus_per_user is not None
    return queue.paused or is_capped or shape.limit is not None


def gates(shape: Shape, queue: Queue, pool: Pool, held: Tally) -> Iterator[r.Reason]:
    """Yield all that keeps a job of this kind back now, whatever room there is.

    What stands here opens only when something ends or an admin changes it, so what it held back
    stays held back for the rest of a plan.
    """
    if queue.paused:
        yield r.QueuePaused(queue=queue.ref)
    jobs = shape.ask.num_nodes
    gpus = shape.ask.gpus * jobs
    whole, own = held.of_queue(queue.ref), held.of_user(queue.ref, shape.user)
    if _over(queue.max_running, whole.jobs, jobs):
        yield r.QueueFull(
            queue=queue.ref, what="jobs", asked=jobs, used=whole.jobs, limit=queue.max_running or 0
        )
    if _over(queue.max_gpus, whole.gpus, gpus):
        yield r.QueueFull(
            queue=queue.ref, what="cards", asked=gpus, used=whole.gpus, limit=queue.max_gpus or 0
        )
    if _over(queue.max_per_user, own.jobs, jobs):
        yield _user_cap(
            shape.user, f"queue {queue.ref}", "jobs", jobs, own.jobs, queue.max_per_user
        )
    if _over(queue.max_gpus_per_user, own.gpus, gpus):
        where = f"queue {queue.ref}"
        yield _user_cap(shape.user, where, "cards", gpus, own.gpus, queue.max_gpus_per_user)
    mine = held.of_pool_user(pool.name, shape.user).gpus
    if _over(pool.max_gpus_per_user, mine, gpus):
        where = f"pool {pool.name}"
        yield _user_cap(shape.user, where, "cards", gpus, mine, pool.max_gpus_per_user)
    if (own_limit := shape.limit) is not None:
        tasks = held.of_array(own_limit.array).jobs
        if _over(own_limit.at_most, tasks, 1):
            yield r.ArrayFull(array=own_limit.array, used=tasks, limit=own_limit.at_most)


def _over(limit: int | None, used: int, asked: int) -> bool:
    """Tell whether ``asked`` more is too much; who asks for nothing of it is never over."""
    return limit is not None and asked > 0 and used + asked > limit


def _user_cap(
    user: str, where: str, what: r.Capped, asked: int, used: int, limit: int | None
) -> r.UserCap:
    return r.UserCap(user=user, where=where, what=what, asked=asked, used=used, limit=limit or 0)
