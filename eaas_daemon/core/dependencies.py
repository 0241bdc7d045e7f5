"""Jobs that start after others: which of those have not done it yet."""

from collections.abc import Iterator

from eaas import reasons as r
from eaas.errors import Conflict, FieldError, Invalid
from eaas.ids import JobNumber
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def unmet(state: State, spec: JobSpec) -> tuple[JobNumber, ...]:
    """Return the jobs that have not succeeded yet; refuse what could never come true.

    Raises:
        Invalid: one of them is not there, or has ended otherwise and the job would fail with it.
    """
    found = [
        (JobNumber(number), state.job_by_number(number)) for number in dict.fromkeys(spec.after)
    ]
    if errors := list(_mistakes(spec, found)):
        raise Invalid(tuple(errors))
    return tuple(number for number, job in found if job and job.state is not JobState.SUCCEEDED)


def _mistakes(spec: JobSpec, found: list[tuple[JobNumber, Job | None]]) -> Iterator[FieldError]:
    for number, job in found:
        if job is None:
            yield FieldError(field="after", message=f"there is no job {number}")
        elif _failed(job) and spec.after_failed == "fail":
            message = (
                f"job {number} is {job.state}, so this could never start;"
                " retry that one first, or say after_failed: wait"
            )
            yield FieldError(field="after", message=message)


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
        first = state.job_by_number(number)
        if first is not None and _failed(first):
            return r.AfterFailed(job=number, state=first.state.value)
    if job.waits_for:
        return r.AfterPending(jobs=tuple(job.waits_for))
    return None


def _failed(job: Job) -> bool:
    return job.ended and job.state is not JobState.SUCCEEDED
