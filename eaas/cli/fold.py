"""Rows of a list: the waiting tasks of one array that are alike stand in one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eaas.job_array import array_of
from eaas.job_ref import JobRef
from eaas.lifecycle import JobState
from eaas.views import JobView


class Row(NamedTuple):
    """One line: a job, and how it is called; several waiting tasks are told by their first one."""

    job: JobView
    ref: str


def folded(jobs: Sequence[JobView]) -> list[Row]:
    """Return the lines of the list, each where its first job stands."""
    return list(_rows(jobs))


def _rows(jobs: Sequence[JobView]) -> Iterator[Row]:
    alike: dict[object, list[JobView]] = {}
    for job in jobs:
        alike.setdefault(_kind(job), []).append(job)
    told: set[object] = set()
    for job in jobs:
        kind = _kind(job)
        if len(alike[kind]) == 1:
            yield Row(job, job.ref)
        elif kind not in told:
            told.add(kind)
            indices = [one.array_index for one in alike[kind] if one.array_index is not None]
            yield Row(job, str(JobRef(job.array or job.id, array_of(indices))))


def _kind(job: JobView) -> object:
    """Return what tasks have in common that stand in one line; every other job is of its own."""
    is_task = job.array is not None and "array" in (job.spec or {})
    if not is_task or job.state != JobState.PENDING or job.attempt:
        return job.id
    reason = None if job.reason is None else (job.reason.code, job.reason.text)
    return job.array, job.pool, job.queue, job.priority, reason
