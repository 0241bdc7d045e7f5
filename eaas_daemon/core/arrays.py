"""Finding the jobs that people name: one by its number, a task by its index, an array as a whole.

An array's tasks have consecutive numbers, beginning with the array's own, in the order of their
indices. So what is not in memory any more is found in the store by its number alone.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from eaas.errors import NotFound
from eaas.ids import JobUid, new_uid
from eaas.job_array import JobArray
from eaas.job_ref import JobRef
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def job_named(state: State, ref: JobRef) -> Job:
    """Return the one job of that name, ended or not; a number alone is that very job.

    Raises:
        NotFound: there is none, or the name means several.
    """
    if ref.indices is None:
        return _numbered(state, ref.number)
    index = ref.index
    if index is None:
        raise NotFound(f"{ref} names several tasks; name one, such as {ref.number}[{_first(ref)}]")
    return _task(state, ref.number, index)


def jobs_named(state: State, ref: JobRef) -> list[Job]:
    """Return every job of that name, ended or not; the number of an array is all of its tasks.

    Raises:
        NotFound: there is no such job, or not every one of the tasks is there.
    """
    if ref.indices is not None:
        return [_task(state, ref.number, index) for index in ref.indices]
    first = state.job_by_number(ref.number)
    if first is None and state.arrays.of(ref.number):
        return list(_tasks(state, ref.number, JobArray()))
    if first is None or first.array != ref.number:
        return [_numbered(state, ref.number)]
    return list(_tasks(state, ref.number, first.spec.parts))


def tasks_in_memory(state: State, number: int) -> list[Job]:
    """Return the tasks of the array that have not ended, by index."""
    members = state.arrays.of(number)
    return [state.jobs[members[index]] for index in sorted(members)]


def put_tasks(state: State, job: Job) -> Job:
    """Let the job wait, or each task of an array, each rank of several; return the first of them.

    The numbers of the others follow on the job's own.
    """
    if not job.spec.parts:
        state.put_job(job)
        return job
    first, *indices = job.spec.parts
    head = replace(job, array=job.number, array_index=first)
    state.put_job(head)
    for index in indices:
        uid = JobUid(new_uid())
        state.put_job(replace(head, uid=uid, number=state.number(), array_index=index))
    return head


def many_tasks(spec: JobSpec) -> str:
    """Return what a job of several parts is, in words: an array, or one on several nodes."""
    if not spec.array:
        return f"on {spec.num_nodes} nodes at once"
    count, at_most = len(spec.array), spec.array.at_most
    limit = "" if at_most is None else f", {at_most} at once"
    return "an array of " + ("1 task" if count == 1 else f"{count} tasks") + limit


def is_array(job: Job) -> bool:
    """Tell whether the job stands for an array whose first task it is."""
    return job.array == job.number and bool(job.spec.array)


def ended_tasks(state: State, first: Job) -> dict[int, JobState]:
    """Return how those of the array's tasks ended that have ended, by number."""
    last = first.number + len(first.spec.array) - 1
    return state.archive.ended_states(first.number, last)


def _numbered(state: State, number: int) -> Job:
    job = state.job_by_number(number)
    if job is None:
        raise NotFound(f"there is no job {number}")
    return job


def _task(state: State, number: int, index: int) -> Job:
    uid = state.arrays.of(number).get(index)
    if uid is not None:
        return state.jobs[uid]
    first = _numbered(state, number)
    if first.array is None:
        raise NotFound(f"job {number} is no array, so it has no task {index}")
    if first.array != number:
        raise NotFound(f"job {number} is a task itself, {first.called}")
    place = first.spec.parts.place(index)
    job = None if place is None else state.job_by_number(number + place)
    if job is None or (job.array, job.array_index) != (number, index):
        whole, part = ("array", "task") if first.spec.array else ("job", "rank")
        raise NotFound(f"{whole} {number} has no {part} {index}; it has {_indices(first)}")
    return job


def _tasks(state: State, number: int, array: JobArray) -> Iterator[Job]:
    """Yield the array's tasks by index; of one that is half forgotten, those in memory."""
    members = state.arrays.of(number)
    if not array:
        yield from (state.jobs[members[index]] for index in sorted(members))
    for place, index in enumerate(array):
        uid = members.get(index)
        job = state.job_by_number(number + place) if uid is None else state.jobs[uid]
        if job is not None and job.array == number:
            yield job


def _first(ref: JobRef) -> int:
    assert ref.indices is not None
    return next(iter(ref.indices))


def _indices(first: Job) -> str:
    return JobArray(first.spec.parts.spans).text
