"""No starvation under a cap: what comes free of it is kept for who has waited long enough.

A job that asks for more cards than its cap has left is passed by those that ask for fewer, and may
be for ever. So once it has waited for its queue's ``hold_after``, those behind it that count for
the same cap wait too, until enough of the cap is free for it.
"""

from collections.abc import Iterator

from eaas import reasons as r
from eaas.ids import PoolName
from eaas_daemon.core.admission import impossible
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.gates import gates
from eaas_daemon.core.line import PoolTurn, turn_of
from eaas_daemon.core.making_room import held
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import CapPlace, Tally


def renew_cap_places(state: State, now: float) -> None:
    """Find anew, in the pools that are to be planned anew, who is kept the next of which cap."""
    for name in sorted(state.restless):
        pool = state.pools.get(name)
        places = () if pool is None else tuple(_places(state, pool, now))
        if places != state.cap_places.get(name, ()):
            state.put_cap_places(name, places)


def kept_before(state: State, job: Job, shape: Shape) -> Job | None:
    """Return the job for whom the rest of a cap is kept that this one counts for, or None.

    Who was promised room before keeps its turn, and nobody behind the other is promised any after.
    """
    promised = state.reservations.get(job.pool)
    if promised is not None and promised.uid == job.uid and promised.is_promise:
        return None
    for place in state.cap_places.get(job.pool, ()):
        holder = state.jobs.get(place.uid)
        if holder is None or not holder.in_line or not _counts_for(shape, job.pool, place):
            continue
        if _turn(state, holder) < state.order.place(shape, turn_of(job)):
            return holder
    return None


def _places(state: State, pool: Pool, now: float) -> Iterator[CapPlace]:
    queues = [queue for queue in state.queues.values() if queue.pool == pool.name]
    if pool.max_gpus_per_user is None and not any(queue.has_caps for queue in queues):
        return
    tally = held(state)
    taken: set[tuple[str, str, str]] = set()
    for job, shape in _waited_enough(state, pool, now):
        for place in _shut(state, job, shape, pool, tally):
            account = place.scope, place.user, place.what
            if account not in taken:
                taken.add(account)
                yield place


def _waited_enough(state: State, pool: Pool, now: float) -> list[tuple[Job, Shape]]:
    """Return the first of each kind that has waited for its queue's ``hold_after``, in order."""
    found: list[tuple[PoolTurn, Job, Shape]] = []
    for shape, turns in state.line.groups(pool.name).items():
        hold_after_s = state.queues[shape.ref].hold_after_s
        job = state.jobs[turns[0].uid]
        if hold_after_s is not None and job.since + hold_after_s <= now:
            found.append((state.order.place(shape, turns[0]), job, shape))
    return [(job, shape) for _, job, shape in sorted(found, key=lambda one: one[0])]


def _shut(state: State, job: Job, shape: Shape, pool: Pool, tally: Tally) -> list[CapPlace]:
    """Return the caps that the job waits for, if it waits for nothing else above the nodes."""
    found: list[CapPlace] = []
    for reason in gates(shape, state.queues[shape.ref], pool, tally):
        if not isinstance(reason, r.QueueFull | r.UserCap) or reason.asked > reason.limit:
            return []
        scope, user = f"queue {shape.ref}", ""
        if isinstance(reason, r.UserCap):
            scope, user = reason.where, shape.user
        found.append(CapPlace(scope=scope, user=user, what=reason.what, uid=job.uid))
    return [] if found and impossible(state, pool, shape.ask) else found


def _counts_for(shape: Shape, pool: PoolName, place: CapPlace) -> bool:
    if place.what == "cards" and not shape.ask.gpus:
        return False
    if place.user not in ("", shape.user):
        return False
    return place.scope in (f"queue {shape.ref}", f"pool {pool}")


def _turn(state: State, job: Job) -> PoolTurn:
    return state.order.place(shape_of(job), turn_of(job))
