"""When an attempt has ended at the latest, by its timeout."""

from math import inf
from typing import Final

from eaas.lifecycle import DEFAULT_GRACE_S, JobState
from eaas_daemon.core.model import Job

START_ALLOWANCE_S: Final = 60.0
"""What an attempt may take before its timeout begins to count: pulling, unpacking, creating."""


def ends_by(job: Job, now: float) -> float:
    """Return when the job's attempt has ended at the latest; infinite when nobody knows.

    The node's clock says when it started. That clock may be wrong: it was not before the attempt
    was placed, and not later than now.
    """
    attempt = job.attempts[-1]
    if job.stop is not None and job.state is JobState.STOPPING:
        return now + job.stop.grace_s + DEFAULT_GRACE_S
    if job.timeout_s is None or job.state is JobState.UNKNOWN:
        return inf
    began = attempt.created_at + START_ALLOWANCE_S
    if attempt.started_at is not None:
        began = min(max(attempt.started_at, attempt.created_at), now)
    return max(now, began + job.timeout_s + DEFAULT_GRACE_S)


def is_gone_by(timeout_s: float | None, now: float, at: float | None) -> bool:
    """Tell whether an attempt placed now has ended by then for certain."""
    return at is not None and ends_if_placed(timeout_s, now) <= at


def ends_if_placed(timeout_s: float | None, now: float) -> float:
    """Return when an attempt that is placed now has ended at the latest; infinite when unknown."""
    if timeout_s is None:
        return inf
    return now + START_ALLOWANCE_S + timeout_s + DEFAULT_GRACE_S
