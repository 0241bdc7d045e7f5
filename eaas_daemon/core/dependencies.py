"""Jobs that start after others: which of those have not done it yet."""

from collections.abc import Iterator

from eaas import reasons as r
from eaas.errors import Conflict, FieldError, Invalid, NotFound
from eaas.ids import JobNumber
from eaas.job_ref import JobRef, job_ref
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState
from eaas_daemon.core.arrays import is_array, job_named, jobs_named
from eaas_daemon.core.followers import means_whole, standing
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def unmet(state: State, spec: JobSpec) -> tuple[JobNumber, ...]:
    """Return what has not succeeded yet: jobs, and arrays by their number.

    Raises:
        Invalid: one of them is not there, or has ended otherwise and the job would fail with it.
    """
    left: list[JobNumber] = []
    errors: list[FieldError] = []
    for name in dict.fromkeys(spec.after):
        try:
            for job, has_succeeded, failed in _named(state, name):
                if failed is not None and spec.after_failed == "fail":
                    errors.append(_could_never_start(failed))
                elif not has_succeeded:
                    left.append(job.number)
        except NotFound as missing:
            errors.append(FieldError(field="after", message=missing.sentence))
    if errors:
        raise Invalid(tuple(errors))
    return tuple(dict.fromkeys(left))


def _named(state: State, name: int | str) -> Iterator[tuple[Job, bool, Job | None]]:
    """Yield the jobs of that name, whether they have succeeded, and what of them failed.

    An array is one of them, for which its first task stands; one on several nodes is all its ranks.
    """
    ref = job_ref(str(name)) or JobRef(0)
    if isinstance(name, int) and is_array(first := job_named(state, ref)):
        whole = standing(state, first)
        failed = None if whole.failed is None else state.job_by_number(whole.failed)
        yield first, whole.has_succeeded, failed
        return
    is_one = isinstance(name, int)
    for job in _whole(state, job_named(state, ref)) if is_one else jobs_named(state, ref):
        yield job, job.state is JobState.SUCCEEDED, job if _failed(job) else None


def _whole(state: State, job: Job) -> list[Job]:
    return ranks_of(state, job) if job.is_rank and job.number == job.array else [job]


def _could_never_start(failed: Job) -> FieldError:
    message = (
        f"job {failed.called} is {failed.state}, so this could never start;"
        " retry that one first, or say after_failed: wait"
    )
    return FieldError(field="after", message=message)


def unmet_again(state: State, job: Job) -> tuple[JobNumber, ...]:
    """Return what a job that is retried has to wait for.

    Raises:
        Conflict: one of those that it is to start after has not done it.
    """
    try:
        return unmet(state, job.spec)
    except Invalid as refusal:
        raise Conflict(f"job {job.called} can't start yet: {refusal.errors[0].message}") from None


def later(not_before: float | None, now: float) -> float | None:
    """Return the moment before which a job may not start, if it is still to come."""
    return None if not_before is None or not_before <= now else not_before


def reason(state: State, job: Job) -> r.Reason | None:
    """Return what the waiting job waits for, or None when it is no other job."""
    for number in job.waits_for:
        failed = _failed_first(state, job, number)
        if failed is not None:
            how = failed.state.value
            called = None if failed.array is None else failed.called
            return r.AfterFailed(job=failed.number, state=how, called=called)
    if job.waits_for:
        names = dict.fromkeys(_called(state, job, number) for number in job.waits_for)
        return r.AfterPending(jobs=tuple(job.waits_for), called=tuple(names))
    return None


def _failed_first(state: State, job: Job, number: JobNumber) -> Job | None:
    """Return what keeps the job from ever starting unless it is tried again, if anything does."""
    first = state.job_by_number(number)
    if first is None or not means_whole(job, first):
        return first if first is not None and _failed(first) else None
    if job.spec.after_failed == "fail":
        return None  # then it would have failed with it
    failed = standing(state, first).failed
    return None if failed is None else state.job_by_number(failed)


def _called(state: State, job: Job, number: JobNumber) -> str:
    first = state.job_by_number(number)
    if first is not None and first.is_rank and first.array in job.spec.after:
        return str(first.array)
    return str(number) if first is None or number in job.spec.after else first.called


def _failed(job: Job) -> bool:
    return job.ended and job.state is not JobState.SUCCEEDED
