"""What becomes of an attempt: it is placed, starts, ends; and what that makes of its job."""

from typing import Final

from msgspec.structs import replace

from eaas import reasons as r
from eaas.lifecycle import JobState, Verb
from eaas.preempt_reasons import Preempted
from eaas.sentences import sentence
from eaas.wire.from_agent import AttemptEnded, AttemptRunning, AttemptStopping
from eaas_daemon.core.advance import advance
from eaas_daemon.core.booking_picks import renew_picks
from eaas_daemon.core.cap_places import renew_cap_places
from eaas_daemon.core.effects import Dispatch, Dropped
from eaas_daemon.core.gang_ends import (
    Verdict,
    is_stopped_with_others,
    tell_ranks,
    verdict_of,
)
from eaas_daemon.core.meeting import meeting_of
from eaas_daemon.core.model import (
    MAX_INFRA_RETRIES,
    Attempt,
    Job,
    StopIntent,
)
from eaas_daemon.core.over import KEEP_WORKSPACE_S, tell_over
from eaas_daemon.core.parts import claim_on
from eaas_daemon.core.plan import Placement, is_due, plan
from eaas_daemon.core.reason_union import AnyReason
from eaas_daemon.core.redeem import redeemed
from eaas_daemon.core.reserve import given_up, lent, loosened
from eaas_daemon.core.state import State
from eaas_daemon.core.usage import standing

MAX_INFRA_BACKOFF_S: Final = 60.0


def _with_attempt(job: Job, attempt: Attempt) -> Job:
    return replace(job, attempts=(*job.attempts[:-1], attempt))


def place_all(state: State, now: float, at_most: int | None = None) -> list[Job]:
    """Plan for all pools where something has changed; return whom that has placed."""
    ready = redeemed(state, now) if state.aside.promised else []
    for placement in ready:
        place(state, placement, now)
    if not is_due(state):
        return [state.jobs[placement.uid] for placement in ready]
    state.put_standing(standing(state.usage, state.pools, now))
    renew_picks(state, now)
    renew_cap_places(state, now)
    decided = plan(state, now, at_most)
    planned = set(state.restless)
    state.restless.clear()
    state.arrived.clear()
    for node in given_up(state.reservations, decided.reservations):
        state.rouse_pools_of(node)  # others may have it: they are planned in the next step
    for node in loosened(state.reservations, decided.reservations):
        state.rouse_pools_of(node, but=planned)
    passed = decided.turns.still({placement.uid for placement in decided.placements})
    state.put_reservations(decided.reservations, passed)
    for placement in decided.placements:
        place(state, placement, now)
    for node in lent((placement.node for placement in decided.placements), decided.reservations):
        state.rouse_pools_of(node)
    return [state.jobs[placement.uid] for placement in (*ready, *decided.placements)]


def place(state: State, placement: Placement, now: float) -> None:
    """Give the job its node and cards, as a new attempt with the next number."""
    job = advance(state.jobs[placement.uid], Verb.PLACED)
    node = state.nodes[placement.node]
    attempt = Attempt(
        number=(job.attempts[-1].number if job.attempts else 0) + 1,
        node=node.name,
        node_uid=node.uid,
        cards=tuple(claim_on(card, job.spec) for card in placement.cards),
        state=JobState.STARTING,
        created_at=now,
        meeting=meeting_of(state, job, node),
    )
    job = replace(job, attempts=(*job.attempts, attempt), reason=None)
    state.put_job(job)
    state.phases.pop(job.uid, None)
    state.claim(job)
    state.emit(Dispatch(node=node.name, uid=job.uid))
    state.journal(
        "job.placed",
        f"job {job.called} goes to {node.name}" + _cards_text(attempt),
        now,
        job=job.number,
        node=node.name,
        user=job.user,
    )


def _cards_text(attempt: Attempt) -> str:
    if not attempt.cards:
        return ""
    noun = "card" if len(attempt.cards) == 1 else "cards"
    return f", {noun} {', '.join(str(card.index) for card in attempt.cards)}"


def found(state: State, job: Job) -> Job:
    """Return the job as it is once its silent node has spoken of it again."""
    if job.state is not JobState.UNKNOWN:
        return job
    if job.stop is not None:
        verb = Verb.FOUND_STOPPING
    elif job.attempts[-1].started_at is not None:
        verb = Verb.FOUND_RUNNING
    else:
        verb = Verb.FOUND_STARTING
    job = replace(advance(job, verb), reason=None if job.stop is None else job.stop.preempted)
    state.put_job(job)
    return job


def note_running(state: State, job: Job, fact: AttemptRunning, now: float) -> None:
    """Take the agent's word that the attempt has started."""
    job = found(state, job)
    attempt = replace(job.attempts[-1], started_at=fact.started_at, handle=fact.handle)
    job = replace(_with_attempt(job, attempt), image_digest=fact.image_digest or job.image_digest)
    if job.state is JobState.STARTING:
        job = advance(job, Verb.STARTED)
    state.put_job(job)
    state.phases.pop(job.uid, None)
    state.journal(
        "job.running",
        f"job {job.called} runs on {attempt.node}",
        now,
        job=job.number,
        node=attempt.node,
        user=job.user,
    )


def note_stopping(state: State, job: Job, fact: AttemptStopping, now: float) -> None:
    """Take the agent's word that the attempt's time is up and it is being stopped."""
    job = found(state, job)
    if job.state is not JobState.RUNNING:
        return
    stop = StopIntent(why="timed_out", by="its timeout", grace_s=0)
    state.put_job(replace(advance(job, Verb.TIME_UP), stop=stop))
    state.journal(
        "job.stopping",
        f"job {job.called} has reached its timeout and is being stopped",
        now,
        job=job.number,
        user=job.user,
    )


def note_ended(state: State, job: Job, fact: AttemptEnded, now: float) -> None:
    """Settle the attempt: its cards go back, and the job ends or waits for its next attempt."""
    job = found(state, job)
    if fact.started_at is not None and job.state is JobState.STARTING:
        job = advance(job, Verb.STARTED)
    attempt = replace(
        _with_log(job.attempts[-1], fact),
        started_at=fact.started_at or job.attempts[-1].started_at,
        finished_at=fact.finished_at,
        exit_code=fact.exit_code,
        oom_killed=fact.oom_killed,
    )
    settle(state, _with_attempt(job, attempt), _verdict(job, fact), now)


def _with_log(attempt: Attempt, fact: AttemptEnded) -> Attempt:
    """Take the log's length from the fact, unless the log itself has come already."""
    if attempt.log_complete or fact.stdout_bytes is None or fact.stderr_bytes is None:
        return attempt
    return replace(
        attempt,
        stdout_bytes=fact.stdout_bytes,
        stderr_bytes=fact.stderr_bytes,
        log_complete=not (fact.stdout_bytes or fact.stderr_bytes),
    )


def _verdict(job: Job, fact: AttemptEnded) -> tuple[Verb, AnyReason | None]:
    """Return what the end means for the job, and why."""
    if fact.cause == "timed_out" or (job.stop and job.stop.why == "timed_out"):
        return Verb.STOPPED_BY_TIME, r.TimedOut(timeout_s=job.timeout_s or 0)
    if job.stop is not None and job.stop.preempted is None:
        return Verb.STOPPED, r.Cancelled(by=job.stop.by)
    if job.stop is not None and fact.cause in ("stopped", "never_started", "lost"):
        if fact.cause == "stopped" and fact.exit_code == 0:
            return Verb.EXITED_CLEANLY, None
        return Verb.STOPPED_TO_WAIT, job.stop.preempted
    if fact.cause == "exited" and fact.exit_code == 0:
        return Verb.EXITED_CLEANLY, None
    if fact.cause == "exited" and fact.exit_code is not None:
        if fact.oom_killed:
            limit = job.spec.memory_mib
            return _again_by_policy(job, r.OutOfMemory(exit_code=fact.exit_code, limit_mib=limit))
        return _again_by_policy(job, r.Exited(exit_code=fact.exit_code))
    if fact.cause == "start_failed":
        text = fact.text or "it could not be started"
        refused = r.StartRefused(detail=fact.detail or "start_failed", text=text)
        return _again_elsewhere(job, refused) if fact.fault == "node" else (_BAD, refused)
    lost = r.AttemptLost(text=fact.text or "it vanished, and nobody knows its exit code")
    if job.attempts[-1].started_at is None and fact.started_at is None:
        return _again_elsewhere(job, lost)
    return _again_by_policy(job, lost)


_BAD = Verb.EXITED_BADLY


def _again_by_policy(job: Job, reason: AnyReason) -> tuple[Verb, AnyReason]:
    restart = job.spec.restart
    again = restart.policy != "never" and job.retries_used < restart.retries
    return (Verb.REQUEUED if again else _BAD), reason


def _again_elsewhere(job: Job, reason: AnyReason) -> tuple[Verb, AnyReason]:
    return (Verb.REQUEUED if job.infra_retries < MAX_INFRA_RETRIES else _BAD), reason


def settle(
    state: State, job: Job, verdict: Verdict, now: float, *, tells_ranks: bool = True
) -> None:
    """End the job's live attempt by this verdict, and what else ends with it."""
    verb, reason = verdict_of(job, verdict)
    if verb is Verb.STOPPED_BY_TIME and job.state is JobState.RUNNING:
        job = advance(job, Verb.TIME_UP)
    if verb is Verb.STOPPED_BY_TIME and job.state in (JobState.STARTING, JobState.UNKNOWN):
        verb = Verb.EXITED_BADLY
    is_counted = not is_stopped_with_others(job)
    attempt = replace(job.attempts[-1], reason=reason)
    job = replace(advance(_with_attempt(job, attempt), verb), reason=reason, stop=None)
    finished_at = attempt.finished_at if attempt.finished_at is not None else now
    if verb is Verb.REQUEUED:
        job = _waiting_again(job, now) if is_counted else replace(job, pending_since=now)
    elif verb is not Verb.STOPPED_TO_WAIT:
        job = replace(job, finished_at=finished_at, keep_until=finished_at + KEEP_WORKSPACE_S)
    state.put_job(job)
    state.release(job, finished_at, now)
    state.emit(Dropped(node=attempt.node, uid=job.uid, attempt=attempt.number))
    _journal_end(state, job, now)
    if job.ended:
        state.note_run(job)
        tell_over(state, job, now)
    if tells_ranks:
        tell_ranks(state, job, now)


def _waiting_again(job: Job, now: float) -> Job:
    job = replace(job, pending_since=now)
    own_fault = isinstance(job.reason, r.Exited | r.OutOfMemory)
    if job.attempts[-1].started_at is None and not own_fault:
        used = job.infra_retries + 1
        wait_s = min(2.0**used, MAX_INFRA_BACKOFF_S)
        return replace(job, infra_retries=used, not_before=now + wait_s)
    backoff_s = job.spec.restart.backoff_s
    return replace(
        job,
        retries_used=job.retries_used + 1,
        not_before=now + backoff_s if backoff_s > 0 else None,
    )


def _journal_end(state: State, job: Job, now: float) -> None:
    text = sentence(job.reason) if job.reason else "exited with code 0"
    attempt = job.attempts[-1]
    if not job.ended and isinstance(job.reason, Preempted):
        kind, words = "job.interrupted", f"job {job.called} was interrupted and waits again: {text}"
    elif not job.ended:
        kind, words = "job.requeued", f"job {job.called} waits for another attempt: {text}"
    else:
        kind, words = f"job.{job.state.lower()}", f"job {job.called} is {job.state}: {text}"
    state.journal(kind, words, now, job=job.number, node=attempt.node, user=job.user)
