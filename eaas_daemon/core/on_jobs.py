"""What people may do to jobs: submit, cancel, reorder, move, retry, keep."""

from typing import Final

from msgspec.structs import replace

from eaas import reasons as r
from eaas.errors import Conflict, EaasError, FieldError, Forbidden, Invalid, NotFound, NotYours
from eaas.ids import JobUid, NodeName, PoolName, QueueName, UserName, new_uid
from eaas.job_spec import JobSpec
from eaas.lifecycle import DEFAULT_GRACE_S, JobState, Verb
from eaas.units import format_duration
from eaas_daemon.core import events as e
from eaas_daemon.core.admission import Possible, admit, check_priority, queue_for
from eaas_daemon.core.advance import advance
from eaas_daemon.core.arrays import many_tasks, put_tasks
from eaas_daemon.core.changes import KeyRow
from eaas_daemon.core.dependencies import later, unmet, unmet_again
from eaas_daemon.core.effects import Dispatch, KeepUntil
from eaas_daemon.core.gang_ends import cancelled_with_others
from eaas_daemon.core.model import Job, StopIntent
from eaas_daemon.core.over import KEEP_WORKSPACE_S, tell_over
from eaas_daemon.core.so_far import count_on
from eaas_daemon.core.state import State

MAX_GRACE_S: Final = 3600.0
MAX_KEEP_S: Final = 3650 * 86400.0
"""Ten years: what is meant to stay for good does not belong into a workspace."""


FOLDER_KEYS: Final = "folder:"
"""How the keys of files in watched folders begin: the same file is the same job for good."""


class KeyReused(EaasError):
    """The same idempotency key came with another body."""

    code = "idempotency_key_reused"
    http_status = 422


class Replayed(EaasError):
    """The key was seen with this body: the jobs exist. Not a refusal; the API answers 200."""

    code = "replayed"
    http_status = 200

    def __init__(self, row: KeyRow) -> None:
        self.row = row
        super().__init__(f"key {row.key} was used before")


def submit(state: State, event: e.Submit, now: float) -> tuple[Job, ...]:
    """Accept all the jobs, or refuse them all; of an array the first task is answered."""
    caller, key = event.caller, event.key
    if key is not None and (row := state.find_key(caller.user, key)) is not None:
        raise replay(row, event.body_hash)
    possible: Possible = set()
    jobs = tuple(_accept(state, event, spec, now, possible) for spec in event.specs)
    if key is not None:
        numbers = tuple(job.number for job in jobs)
        state.put_key(
            KeyRow(user=caller.user, key=key, body_hash=event.body_hash, jobs=numbers, at=now)
        )
    return jobs


def replay(row: KeyRow, body_hash: bytes) -> EaasError:
    """Return what to raise for a key that was used before."""
    if row.body_hash == body_hash:
        return Replayed(row)
    return KeyReused(f"idempotency key {row.key} was used with another body; take a new key")


def _accept(state: State, event: e.Submit, spec: JobSpec, now: float, possible: Possible) -> Job:
    pool, queue = queue_for(state, spec)
    job = Job(
        uid=JobUid(new_uid()),
        number=state.number(),
        user=event.caller.user,
        spec=spec,
        pool=pool.name,
        queue=queue.name,
        state=JobState.PENDING,
        priority=spec.priority,
        created_at=now,
        timeout_s=spec.timeout_s or queue.timeout_s,
        waits_for=unmet(state, spec),
        not_before=later(spec.not_before, now),
    )
    count = len(spec.parts) or 1
    admit(state, job, queue, event.caller, force=event.force, possible=possible, more=count)
    job = put_tasks(state, job)
    what = f"job {job.number}" + (f", {many_tasks(spec)}," if spec.parts else "")
    words = f"{job.user} submitted {what} to {job.ref}"
    state.journal("job.submitted", words, now, job=job.number, user=job.user)
    return job


def cancel(state: State, event: e.Cancel, now: float) -> Job:
    """End the job: at once while it waits, else by stopping its attempt."""
    job = _own(state, event.caller, event.number)
    user = event.caller.user
    grace_s = DEFAULT_GRACE_S if event.grace_s is None else event.grace_s
    _check_span("grace_s", grace_s, MAX_GRACE_S)
    if job.ended:
        return job
    if job.state is JobState.PENDING:
        return _cancel_waiting(state, job, user, now)
    stop = StopIntent(why="cancelled", by=user, grace_s=grace_s)
    if job.stop is not None and job.stop.why == "preempted":
        grace_s = min(grace_s, job.stop.grace_s)
        stop = replace(job.stop, why="cancelled", by=user, grace_s=grace_s)
    elif job.stop is not None and job.stop.ends is not None:
        stop = cancelled_with_others(job.stop, stop)
    elif job.stop is not None and grace_s >= job.stop.grace_s:
        return job
    if job.state in (JobState.STARTING, JobState.RUNNING):
        job = advance(job, Verb.CANCEL_ASKED)
    job = replace(job, stop=stop, reason=None)
    state.put_job(job)
    state.emit(Dispatch(node=job.attempts[-1].node, uid=job.uid))
    state.journal(
        "job.stopping", f"{user} is stopping job {job.called}", now, job=job.number, user=user
    )
    return job


def _cancel_waiting(state: State, job: Job, user: UserName, now: float) -> Job:
    keep_until = now + KEEP_WORKSPACE_S if job.attempts else None
    job = replace(
        advance(job, Verb.CANCEL_ASKED),
        reason=r.Cancelled(by=user),
        waits_for=(),
        not_before=None,
        finished_at=now,
        keep_until=keep_until,
    )
    state.put_job(job)
    state.journal(
        "job.cancelled", f"{user} cancelled job {job.called}", now, job=job.number, user=user
    )
    tell_over(state, job, now)
    return job


def _check_span(field: str, seconds: float, most_s: float) -> None:
    if not 0 <= seconds <= most_s:
        most, asked = format_duration(most_s), format_duration(seconds)
        message = f"{field} must be from 0s to {most}, not {asked}"
        raise Invalid((FieldError(field=field, message=message),))


def set_priority(state: State, event: e.SetPriority, now: float) -> Job:
    """Give the job another priority within its queue."""
    job = _own(state, event.caller, event.number)
    if job.ended:
        raise Conflict(f"job {job.called} is {job.state}; its priority means nothing any more")
    queue = state.queues[job.ref]
    check_priority(event.priority, queue, event.caller)
    user = event.caller.user
    job = replace(job, priority=event.priority)
    state.put_job(job)
    words = f"{user} gave job {job.called} priority {event.priority}"
    state.journal("job.priority", words, now, job=job.number, user=user)
    return job


def put_on_top(state: State, event: e.PutOnTop, now: float) -> Job:
    """Let the job go before all others of its queue."""
    if not event.caller.admin:
        raise Forbidden(
            "only an admin puts a job before other people's; "
            "raise it among yours with: mini-eaas job priority"
        )
    job = _waiting(_own(state, event.caller, event.number), "put on top")
    job = replace(job, rank=rank_on_top(state, job.pool) if event.rank is None else event.rank)
    state.put_job(job)
    user = event.caller.user
    words = f"{user} put job {job.called} on top of {job.ref}"
    state.journal("job.top", words, now, job=job.number, user=user)
    return job


def rank_on_top(state: State, pool: PoolName) -> int:
    """Return the rank that goes before all others of the pool."""
    top = min((other.rank for other in state.jobs.values() if other.pool == pool), default=0)
    return min(top, 0) - 1


def move(state: State, event: e.Move, now: float) -> Job:
    """Let a waiting job wait in another queue, with that queue's rules."""
    job = _waiting(_own(state, event.caller, event.number), "moved")
    asked = replace(job.spec, pool=event.pool, queue=event.queue)
    pool, queue = queue_for(state, asked)
    moved = replace(
        job,
        spec=asked,
        pool=PoolName(pool.name),
        queue=QueueName(queue.name),
        rank=0,
        timeout_s=job.spec.timeout_s or queue.timeout_s,
        promise=None,
    )
    if moved.ref == job.ref:
        return job
    admit(state, moved, queue, event.caller, force=False)
    if job.attempts and job.pool != moved.pool:  # its claims will look as if made in the new pool
        count_on(state, job.pool, now)
        count_on(state, moved.pool, now)
    state.put_job(moved)
    user = event.caller.user
    words = f"{user} moved job {job.called} from {job.ref} to {moved.ref}"
    state.journal("job.moved", words, now, job=job.number, user=user)
    return moved


def retry(state: State, event: e.Retry, now: float) -> Job:
    """Let an ended job wait again; its attempts are counted on."""
    job = known_job(state, event.number)
    check_owner(job, event.caller)
    if not job.ended:
        raise Conflict(f"job {job.called} is {job.state}; only an ended job can be retried")
    queue = state.queues.get(job.ref)
    if queue is None:
        raise NotFound(f"queue {job.ref} of job {job.called} does not exist any more")
    job = replace(
        advance(job, Verb.RETRIED),
        reason=None,
        finished_at=None,
        keep_until=None,
        retries_used=0,
        infra_retries=0,
        stop=None,
        rank=0,
        not_before=later(job.spec.not_before, now),
        waits_for=unmet_again(state, job),
        pending_since=now,
        workspace_gone=None,
        scattered=False,
    )
    admit(state, job, queue, event.caller, force=True)
    state.put_job(job)
    user = event.caller.user
    state.journal("job.retried", f"{user} retries job {job.called}", now, job=job.number, user=user)
    return job


def keep(state: State, event: e.Keep, now: float) -> Job:
    """Keep the workspace of an ended job for at least that much longer."""
    job = known_job(state, event.number)
    check_owner(job, event.caller)
    _check_span("for_s", event.for_s, MAX_KEEP_S)
    node = _workspace_node(state, job)
    job = replace(job, keep_until=max(job.keep_until or 0, now + event.for_s))
    state.put_job(job)
    until = job.keep_until or now
    state.emit(KeepUntil(node=node, uid=job.uid, until=until))
    user = event.caller.user
    words = f"{user} keeps the workspace of job {job.called} longer"
    state.journal("job.kept", words, now, job=job.number, user=user)
    return job


def _workspace_node(state: State, job: Job) -> NodeName:
    """Return the connected node that keeps the ended job's workspace, or refuse."""
    if not job.ended:
        raise Conflict(f"job {job.called} is {job.state}; its workspace stays until it has ended")
    if not job.attempts:
        raise Conflict(f"job {job.called} never ran, so it has no workspace")
    if job.workspace_gone is not None:
        raise Conflict(f"the workspace of job {job.called} was deleted ({job.workspace_gone})")
    node = state.nodes.get(job.attempts[-1].node)
    if node is None or node.session is None:
        name = job.attempts[-1].node
        raise Conflict(
            f"{name} is not connected, and the workspace of job {job.called} is there; "
            "ask again when it is back"
        )
    return node.name


def _own(state: State, caller: e.Caller, number: int) -> Job:
    job = known_job(state, number)
    check_owner(job, caller)
    return job


def known_job(state: State, number: int) -> Job:
    """Return the job, ended or not; refuse a number that was never given out."""
    job = state.job_by_number(number)
    if job is None:
        raise NotFound(f"there is no job {number}")
    return job


def check_owner(job: Job, caller: e.Caller) -> None:
    """Refuse what only the job's owner and admins may do."""
    if not caller.admin and caller.user != job.user:
        raise NotYours(f"job {job.called} belongs to {job.user}, and you are {caller.user}")


def _waiting(job: Job, done: str) -> Job:
    if job.state is not JobState.PENDING:
        raise Conflict(f"job {job.called} is {job.state}; only a waiting job can be {done}")
    return job
