"""Jobs that start after an array: they wait for all of its tasks.

They keep the array's number among what they wait for, not the numbers of thousands of tasks. That
is the first task's number too: who is to follow that task alone names it with its index.
"""

from collections.abc import Iterator
from typing import NamedTuple

from eaas.ids import JobNumber
from eaas.lifecycle import JobState
from eaas_daemon.core.arrays import ended_tasks, is_array
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


class Standing(NamedTuple):
    """How far an array is for those who follow it."""

    has_succeeded: bool
    """All tasks have."""
    failed: JobNumber | None
    """A task that ended otherwise."""


def means_whole(waiting: Job, first: Job) -> bool:
    """Tell whether the job follows the whole array, of which the other is the first task."""
    return is_array(first) and first.number in waiting.spec.after


def is_followed(one: Job, waiting: Job) -> bool:
    """Tell whether the job waits for that one, or for the array of which it is a task."""
    whole = one.array if one.spec.array else None
    return one.number in waiting.waits_for or whole in waiting.waits_for


def standing(state: State, first: Job) -> Standing:
    """Return how far the array is of which this is the first task."""
    here = {
        state.jobs[uid].number: state.jobs[uid] for uid in state.arrays.of(first.number).values()
    }
    ended = {number: how for number, how in ended_tasks(state, first).items() if number not in here}
    ended |= {number: job.state for number, job in here.items() if job.ended}
    failed = [number for number, how in ended.items() if how is not JobState.SUCCEEDED]
    is_over = len(ended) >= len(here.keys() | ended.keys())
    return Standing(is_over and not failed, JobNumber(min(failed)) if failed else None)


def followers(state: State, ended: Job) -> Iterator[tuple[Job, JobNumber]]:
    """Yield the waiting jobs to which the end means something, and what it is that has ended.

    Of an array's task that is the task, and the array once the last of its tasks has succeeded, or
    as soon as one has not.
    """
    for uid in state.aside.behind(ended.number):
        waiting = state.jobs[uid]
        if not means_whole(waiting, ended):
            yield waiting, ended.number
    if ended.array is None or not ended.spec.array:
        return
    if behind := state.aside.behind(ended.array):
        if ended.state is JobState.SUCCEEDED and not _is_last(state, ended, ended.array):
            return
        for uid in behind:
            if (one := state.jobs.get(uid)) is not None and ended.array in one.spec.after:
                yield one, ended.array


def _is_last(state: State, ended: Job, array: JobNumber) -> bool:
    """Tell whether all tasks of the array have succeeded with this one; mostly the first in memory
    tells that they have not.
    """
    for uid in state.arrays.of(array).values():
        if state.jobs[uid].state is not JobState.SUCCEEDED:
            return False
    here = {state.jobs[uid].number for uid in state.arrays.of(array).values()}
    stored = state.archive.ended_states(array, array + len(ended.spec.array) - 1)
    return all(how is JobState.SUCCEEDED for number, how in stored.items() if number not in here)
