"""What people do to an array or to some of its tasks: to each what is done to one job, or to none.

A task of which it can't be true (it runs already, it has ended) is left as it is and counted. One
line of history tells of all.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from eaas.errors import Conflict
from eaas.ids import JobNumber, PoolName
from eaas.job_ref import JobRef
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core import on_jobs
from eaas_daemon.core.arrays import ended_tasks, jobs_named, tasks_in_memory
from eaas_daemon.core.model import Job, Value
from eaas_daemon.core.state import State

HANDLERS: Final[Mapping[type[e.Event], Callable[[State, Any, float], Job]]] = {
    e.Cancel: on_jobs.cancel,
    e.SetPriority: on_jobs.set_priority,
    e.PutOnTop: on_jobs.put_on_top,
    e.Move: on_jobs.move,
    e.Retry: on_jobs.retry,
    e.Keep: on_jobs.keep,
}

WORDS: Final = {
    "job.cancelled": "{user} cancelled {what}",
    "job.stopping": "{user} is stopping {what}",
    "job.priority": "{user} gave {what} priority {priority}",
    "job.top": "{user} put {what} on top",
    "job.moved": "{user} moved {what} to {pool}/{queue}",
    "job.retried": "{user} retries {what}",
    "job.kept": "{user} keeps the workspaces of {what} longer",
}
"""Kinds of lines that are told together."""


class Acted(Value, frozen=True, kw_only=True):
    """What was done to an array."""

    array: JobNumber
    changed: int
    left: int
    """Tasks that stayed as they were: it could not be done to them, or there was nothing to do."""


def to_tasks(state: State, event: e.ToTasks, now: float) -> Acted:
    """Do it to every task that is meant and can take it; refuse it where none can."""
    deed = event.deed
    jobs, others = _meant(state, event)
    handle = HANDLERS[type(deed)]
    refused: Conflict | None = None
    changed, ranks = 0, dict[PoolName, int]()
    state.draft.counted = dict.fromkeys(WORDS, 0)
    try:
        for job in jobs:
            one = _for_one(state, replace(deed, number=job.number), job, ranks)
            mark = state.mark()
            try:
                changed += handle(state, one, now) != job
            except Conflict as refusal:
                state.undo_to(mark)
                refused = refused or refusal
        counts = state.draft.counted
    finally:
        state.draft.counted = {}
    if not changed and refused is not None:
        raise refused
    _tell(state, event, counts, now)
    return Acted(array=deed.number, changed=changed, left=len(jobs) + others - changed)


def _for_one(state: State, deed: e.Deed, job: Job, ranks: dict[PoolName, int]) -> e.Deed:
    if not isinstance(deed, e.PutOnTop):
        return deed
    if job.pool not in ranks:
        ranks[job.pool] = on_jobs.rank_on_top(state, job.pool)
    return replace(deed, rank=ranks[job.pool])


def _meant(state: State, event: e.ToTasks) -> tuple[list[Job], int]:
    """Return the tasks to which it may be done, and how many others are meant.

    Of a whole array those that have succeeded are not run again, and only what has ended has a
    workspace to keep.
    """
    deed = event.deed
    if event.indices:
        return jobs_named(state, JobRef(deed.number, event.indices)), 0
    first = on_jobs.known_job(state, deed.number)
    on_jobs.check_owner(first, deed.caller)
    count = len(first.spec.array)
    if isinstance(deed, e.Retry | e.Keep):
        ended = ended_tasks(state, first)
        wanted = [
            number
            for number, how in sorted(ended.items())
            if isinstance(deed, e.Keep) or how is not JobState.SUCCEEDED
        ]
        jobs = [on_jobs.known_job(state, number) for number in wanted]
        if not jobs:
            raise Conflict(_nothing_for(deed, len(ended)))
    else:
        jobs = [job for job in tasks_in_memory(state, deed.number) if not job.ended]
        if not jobs and not isinstance(deed, e.Cancel):
            raise Conflict(f"all tasks of array {deed.number} have ended")
    return jobs, count - len(jobs)


def _nothing_for(deed: e.Deed, ended: int) -> str:
    if not ended:
        return f"no task of array {deed.number} has ended yet"
    return (
        f"no task of array {deed.number} has failed; one that has succeeded is run again by its "
        f"name, such as {deed.number}[0]"
    )


def _tell(state: State, event: e.ToTasks, counts: Mapping[str, int], now: float) -> None:
    deed = event.deed
    user, number = event.caller.user, deed.number
    about = {
        "user": user,
        "priority": getattr(deed, "priority", ""),
        "pool": getattr(deed, "pool", ""),
        "queue": getattr(deed, "queue", ""),
    }
    for kind, count in counts.items():
        if count:
            tasks = "1 task" if count == 1 else f"{count} tasks"
            words = WORDS[kind].format(what=f"{tasks} of array {number}", **about)
            state.journal(kind, words, now, job=number, user=user)
