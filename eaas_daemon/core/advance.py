"""The one way in which a job's state changes."""

from msgspec.structs import replace

from eaas.lifecycle import JobState, Verb, next_state
from eaas_daemon.core.model import Job


def advance(job: Job, verb: Verb) -> Job:
    """Return the job in its next state, its live attempt with it. Nothing else sets a state."""
    state = next_state(job.number, job.state, verb)
    job = replace(job, promise=None)
    if not job.attempts or job.state is JobState.PENDING or verb is Verb.RETRIED:
        return replace(job, state=state)
    again = JobState.CANCELLED if verb is Verb.STOPPED_TO_WAIT else JobState.FAILED
    shown = again if state is JobState.PENDING else state
    last = replace(job.attempts[-1], state=shown)
    return replace(job, state=state, attempts=(*job.attempts[:-1], last))
