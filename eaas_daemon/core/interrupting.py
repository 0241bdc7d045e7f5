"""How a job is interrupted for another: it is asked to stop, and its room is promised."""

from msgspec.structs import replace

from eaas.lifecycle import Verb
from eaas.preempt_reasons import Preempted
from eaas.sentences import sentence
from eaas_daemon.core.advance import advance
from eaas_daemon.core.effects import Dispatch
from eaas_daemon.core.model import Job, Promise, StopIntent
from eaas_daemon.core.preempt import (
    PREEMPT_GRACE_S,
    READY_S,
    Interruption,
    Looked,
    interruptions,
)
from eaas_daemon.core.state import State


def interrupt(state: State, looked: Looked, now: float) -> None:
    """Stop whoever is to make room for more urgent jobs of these pools, after their plan."""
    for one in interruptions(state, looked, now) if looked else ():
        _make_room(state, one, now)


def _make_room(state: State, one: Interruption, now: float) -> None:
    job = state.jobs[one.uid]
    promise = Promise(
        node=one.node, cards=one.cards, stopped_by=now + PREEMPT_GRACE_S, ready_by=now + READY_S
    )
    state.put_job(replace(job, promise=promise))
    kept = state.reservations.get(job.pool)
    if kept is not None and kept.uid == job.uid:
        others = {pool: each for pool, each in state.reservations.items() if pool != job.pool}
        state.put_reservations(others, state.passed)
    for uid in one.victims:
        _stop(state, state.jobs[uid], job, now)


def _stop(state: State, victim: Job, job: Job, now: float) -> None:
    first = Preempted(job=job.number, called=job.called, queue=job.ref, user=job.user)
    stop = StopIntent(why="preempted", by=job.user, grace_s=PREEMPT_GRACE_S, first=first)
    state.put_job(replace(advance(victim, Verb.PREEMPTED), stop=stop, reason=first))
    node = victim.attempts[-1].node
    state.emit(Dispatch(node=node, uid=victim.uid))
    words = f"job {victim.called} is being stopped, to go on later: {sentence(first)}"
    state.journal("job.preempted", words, now, job=victim.number, node=node, user=victim.user)
