"""What the end of a job means to others: to nodes that keep its workspace, to jobs after it."""

from typing import Final

from msgspec.structs import replace

from eaas import reasons as r
from eaas.lifecycle import JobState, Verb, next_state
from eaas.sentences import sentence
from eaas_daemon.core.effects import JobOver
from eaas_daemon.core.followers import followers
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State

KEEP_WORKSPACE_S: Final = 7 * 86400.0
"""How long a node keeps the workspace of a job that has ended."""


def tell_over(state: State, job: Job, now: float) -> None:
    """Let every node with a workspace of the ended job begin to count, and those behind it go on.

    What waits for a job that did not succeed fails with it, and so does what waits for that.
    """
    over = [job]
    while over:
        ended = over.pop()
        for node in dict.fromkeys(attempt.node for attempt in ended.attempts):
            state.emit(JobOver(node=node, uid=ended.uid))
        for waiting, done in list(followers(state, ended)):
            if ended.state is JobState.SUCCEEDED:
                left = tuple(number for number in waiting.waits_for if number != done)
                state.put_job(replace(waiting, waits_for=left, pending_since=now))
            elif waiting.spec.after_failed == "fail":
                over.append(_fail(state, waiting, ended, now))


def _fail(state: State, waiting: Job, cause: Job, now: float) -> Job:
    called = None if cause.array is None else cause.called
    reason = r.AfterFailed(job=cause.number, state=cause.state.value, called=called)
    job = replace(
        waiting,
        state=next_state(waiting.number, waiting.state, Verb.AFTER_FAILED),
        reason=reason,
        waits_for=(),
        not_before=None,
        finished_at=now,
        keep_until=now + KEEP_WORKSPACE_S if waiting.attempts else None,
    )
    state.put_job(job)
    words = f"job {job.called} is {job.state}: {sentence(reason)}"
    state.journal("job.failed", words, now, job=job.number, user=job.user)
    return job
