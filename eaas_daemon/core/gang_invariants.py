"""What must hold of every job on several nodes, whatever has happened."""

from collections.abc import Iterator
from math import inf

from eaas.lifecycle import JobState
from eaas_daemon.core.gangs import ranks_of
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State


def broken_gangs(state: State) -> Iterator[str]:
    """Yield a sentence for every job on several nodes of which only a part is as it must be."""
    wholes = {job.array: job for job in state.jobs.values() if job.is_rank}
    for number, job in wholes.items():
        for fact in _broken(ranks_of(state, job)):
            yield f"job {number} {fact}"


def _broken(ranks: list[Job]) -> Iterator[str]:
    live = [job for job in ranks if job.live_attempt is not None]
    waiting = [job for job in ranks if job.state is JobState.PENDING]
    if len(waiting) == len(ranks) == ranks[0].spec.num_nodes:
        if any(job.scattered for job in ranks):
            yield "waits as a whole, and one of its ranks does not know"
    elif any(job.in_line for job in waiting):
        yield f"has {len(live)} ranks that run, and one of the others could be placed"
    if any(job.scattered for job in live):
        yield "has a rank that runs and waits"
    if len({job.attempts[-1].node for job in live}) < len(live):
        yield "has two ranks on one node"
    if len({job.attempts[-1].meeting for job in live}) > 1:
        yield "has ranks that would not find each other"
    on = [len(job.attempts) for job in live if job.stop is None]
    if any(len(job.attempts) >= min(on, default=inf) for job in waiting):  # else found after a loss
        yield "has ranks that run on though another one has to begin anew"
    if any(job.ended and job.state is not JobState.SUCCEEDED for job in ranks):
        if waiting:
            yield "has ranks that wait though another one has failed"
        if any(job.stop is None for job in live):
            yield "has ranks that run on though another one has failed"
