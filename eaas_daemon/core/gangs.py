"""A job on several nodes: its ranks are jobs of one group, and what is done to one is done to all.

They have consecutive numbers, the first rank's is the whole's. Only the first stands in line; it
has its place there while all of them wait.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from eaas.gang_reasons import RanksLeft
from eaas.ids import JobNumber, JobUid
from eaas.lifecycle import JobState
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def ranks_of(state: State, job: Job) -> list[Job]:
    """Return all ranks of the job that this is one of, ended or not, the first one first.

    After a restore some may not be known yet; those are left out.
    """
    whole = job.number if job.array is None else job.array
    members = state.arrays.of(whole)
    found: list[Job] = []
    for rank in range(job.spec.num_nodes):
        uid = members.get(rank)
        one = state.job_by_number(whole + rank) if uid is None else state.jobs[uid]
        if one is not None and (one.array, one.array_index) == (whole, rank):
            found.append(one)
    return found


def as_ranks(job: Job) -> list[Job]:
    """Return the ranks that a job would have which nobody has submitted."""
    return [
        replace(
            job,
            uid=JobUid(f"{job.uid}{rank}") if rank else job.uid,
            number=JobNumber(job.number + rank),
            array=job.number,
            array_index=rank,
        )
        for rank in range(job.spec.num_nodes)
    ]


def first_rank(state: State, job: Job) -> Job:
    """Return the rank that waits in line for all of them; any other job is its own."""
    if not job.is_rank or job.number == job.array:
        return job
    uid = state.arrays.of(job.array or 0).get(0)
    return job if uid is None else state.jobs[uid]


def ranks_left(state: State, job: Job) -> RanksLeft | None:
    """Return which ranks have to end before all can be placed again, or None if none has to."""
    if not job.scattered:
        return None
    left = [one for one in ranks_of(state, job) if one.state is not JobState.PENDING]
    return RanksLeft(ranks=tuple(map(_standing, left)))


def _standing(job: Job) -> str:
    attempt = job.live_attempt
    where = "" if attempt is None else f" on {attempt.node}"
    return f"rank {job.array_index} is {job.state}{where}"


def to_all_ranks(handler: Callable[[State, Any, float], Job]) -> Callable[[State, Any, float], Job]:
    """Return what does to all ranks of a job what somebody asks to be done to one of them.

    Any other job is left to ``handler`` alone. What is refused for one rank is done to none.
    """

    def handle(state: State, event: Any, now: float) -> Job:
        job = state.job_by_number(event.number)
        if job is None or not job.is_rank:
            return handler(state, event, now)
        answers = {
            one.number: handler(state, replace(event, number=one.number), now)
            for one in ranks_of(state, job)
        }
        return answers[job.number]

    return handle
