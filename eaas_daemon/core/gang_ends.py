"""What the end of one rank means to the others of its job.

All of them succeed, or none does: when one ends otherwise, those that run are stopped, and what
became of the one becomes of all. If it may be tried again, all of them wait for that together.
"""

from typing import Final

from msgspec.structs import replace

from eaas.gang_reasons import RankEnded
from eaas.lifecycle import DEFAULT_GRACE_S, JobState, Verb
from eaas.sentences import sentence
from eaas_daemon.core.advance import advance
from eaas_daemon.core.effects import Dispatch
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.model import Job, StopIntent
from eaas_daemon.core.over import KEEP_WORKSPACE_S, tell_over
from eaas_daemon.core.reason_union import AnyReason
from eaas_daemon.core.state import State

Verdict = tuple[Verb, AnyReason | None]

ENDS: Final = {
    JobState.PENDING: Verb.REQUEUED,
    JobState.FAILED: Verb.EXITED_BADLY,
    JobState.TIMED_OUT: Verb.STOPPED_BY_TIME,
    JobState.CANCELLED: Verb.STOPPED,
}
"""How the others end, by how the first one did."""
WORDS: Final = {
    JobState.TIMED_OUT: "ran out of time",
    JobState.CANCELLED: "was cancelled",
}


def verdict_of(job: Job, verdict: Verdict) -> Verdict:
    """Return what the end of an attempt means: another rank's end may have decided that already."""
    if job.stop is None or job.stop.ends is None:
        return verdict
    return job.stop.ends, job.stop.reason


def cancelled_with_others(stop: StopIntent, asked: StopIntent) -> StopIntent:
    """Return how a rank is stopped that somebody cancels while it is stopped because of another.

    What would have been tried again is cancelled; what ends anyway may only end sooner.
    """
    grace_s = min(stop.grace_s, asked.grace_s)
    return replace(asked if stop.ends is Verb.REQUEUED else stop, grace_s=grace_s)


def is_stopped_with_others(job: Job) -> bool:
    """Tell whether it ends because of another rank, whose tries are counted."""
    return job.stop is not None and job.stop.ends is not None


def tell_ranks(state: State, job: Job, now: float) -> None:
    """Let the job's other ranks know that this one's attempt is over, if it is a rank."""
    if not job.is_rank:
        return
    if job.state is JobState.PENDING:
        state.put_job(replace(job, scattered=True))
    if job.state in ENDS and not isinstance(job.reason, RankEnded):
        words = WORDS.get(job.state, "failed")
        why = "" if job.reason is None else f": {sentence(job.reason)}"
        reason = RankEnded(rank=job.array_index or 0, text=f"{words}{why}")
        for other in ranks_of(state, job):
            if other.uid != job.uid:
                _tell(state, other, job, reason, now)
    _gather(state, job, now)


def _tell(state: State, other: Job, cause: Job, reason: RankEnded, now: float) -> None:
    goes_on = cause.state is JobState.PENDING
    if other.live_attempt is not None:
        if other.stop is None or (other.stop.ends is Verb.REQUEUED and not goes_on):
            _stop(state, other, ENDS[cause.state], reason, now)
    elif goes_on and other.ended:
        _take_back(state, other, cause, now)
    elif not goes_on and other.state is JobState.PENDING:
        _end_waiting(state, other, cause.state, reason, now)


def _stop(state: State, job: Job, ends: Verb, reason: RankEnded, now: float) -> None:
    if job.state in (JobState.STARTING, JobState.RUNNING):
        job = advance(job, Verb.CANCEL_ASKED)
    by = f"rank {reason.rank}"
    grace_s = DEFAULT_GRACE_S if job.stop is None else job.stop.grace_s
    stop = StopIntent(why="cancelled", by=by, grace_s=grace_s, ends=ends, reason=reason)
    state.put_job(replace(job, stop=stop))
    state.emit(Dispatch(node=job.attempts[-1].node, uid=job.uid))
    words = f"job {job.called} is being stopped: {sentence(reason)}"
    state.journal("job.stopping", words, now, job=job.number, user=job.user)


def _take_back(state: State, job: Job, cause: Job, now: float) -> None:
    """Let a rank that had ended wait for the next attempt of all, and who follows it with it."""
    job = replace(
        advance(job, Verb.RETRIED),
        reason=cause.reason,
        finished_at=None,
        keep_until=None,
        stop=None,
        pending_since=now,
        workspace_gone=None,
        scattered=True,
    )
    state.put_job(job)
    for uid in state.aside.behind(cause.number):
        waiting = state.jobs[uid]
        named = {job.number, job.array, job.called}.intersection(waiting.spec.after)
        if named and job.number not in waiting.waits_for:
            numbers = (*waiting.waits_for, job.number)
            state.put_job(replace(waiting, waits_for=tuple(sorted(numbers))))


def _end_waiting(state: State, job: Job, as_: JobState, reason: RankEnded, now: float) -> None:
    is_cancelled = as_ is JobState.CANCELLED
    job = replace(
        advance(job, Verb.CANCEL_ASKED if is_cancelled else Verb.AFTER_FAILED),
        reason=reason,
        waits_for=(),
        not_before=None,
        scattered=False,
        finished_at=now,
        keep_until=now + KEEP_WORKSPACE_S if job.attempts else None,
    )
    state.put_job(job)
    words = f"job {job.called} is {job.state}: {sentence(reason)}"
    state.journal(f"job.{job.state.lower()}", words, now, job=job.number, user=job.user)
    tell_over(state, job, now)


def _gather(state: State, job: Job, now: float) -> None:
    """Let all ranks wait as one again once each of them waits."""
    if job.state is not JobState.PENDING:
        return
    ranks = ranks_of(state, job)
    if len(ranks) < job.spec.num_nodes:
        return
    if any(one.state is not JobState.PENDING for one in ranks):
        return
    moments = [one.not_before for one in ranks if one.not_before is not None]
    for one in ranks:
        together = replace(
            one,
            scattered=False,
            waits_for=min((one.waits_for for one in ranks), key=len),
            retries_used=max(one.retries_used for one in ranks),
            infra_retries=max(one.infra_retries for one in ranks),
            not_before=max(moments, default=None),
            pending_since=now,
        )
        state.put_job(together)


def found_alone(state: State, job: Job) -> None:
    """Let the ranks that wait go on waiting where one of their job was found running."""
    if job.is_rank:
        for one in ranks_of(state, job):
            if one.state is JobState.PENDING:
                state.put_job(replace(one, scattered=True))
