"""The states of jobs, nodes and cards, and the one table that says how a job moves between them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from eaas.errors import EaasError


class JobState(StrEnum):
    """Where a job stands. The text is what people and scripts see."""

    PENDING = "Pending"
    STARTING = "Starting"
    RUNNING = "Running"
    STOPPING = "Stopping"
    UNKNOWN = "Unknown"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    CANCELLED = "Cancelled"
    TIMED_OUT = "TimedOut"


ENDED: Final = frozenset(
    {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED, JobState.TIMED_OUT}
)
PLACED: Final = frozenset(
    {JobState.STARTING, JobState.RUNNING, JobState.STOPPING, JobState.UNKNOWN}
)
"""States in which the current attempt owns its node's room and its cards."""

DEFAULT_GRACE_S: Final = 10.0
"""What a cancelled job gets to end by itself before it is killed, when nobody says otherwise."""


DEFAULT_HOLD_AFTER_S: Final = 600.0
"""How long the first job of a queue waits before freed cards are kept for it, unless it is set."""

DEFAULT_HALF_LIFE_S: Final = 86400.0
"""After that long a card-second counts half in a pool's fair share, unless it is set."""


class NodeState(StrEnum):
    """What a node is, the first that holds."""

    NEEDS_UPGRADE = "NeedsUpgrade"
    OFFLINE = "Offline"
    DRAINING = "Draining"
    UNASSIGNED = "Unassigned"
    READY = "Ready"


class CardState(StrEnum):
    """What a card is to the pool."""

    FREE = "free"
    HELD = "held"
    SHARED = "shared"
    FOREIGN = "foreign"
    DIRTY = "dirty"
    SICK = "sick"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


class Verb(StrEnum):
    """What can happen to a job."""

    PLACED = "placed"
    STARTED = "started"
    EXITED_CLEANLY = "exited cleanly"
    EXITED_BADLY = "exited badly"
    REQUEUED = "requeued"
    CANCEL_ASKED = "cancel asked"
    TIME_UP = "time is up"
    AFTER_FAILED = "a job it was to follow failed"
    STOPPED = "stopped as asked"
    STOPPED_BY_TIME = "stopped by its timeout"
    NODE_SILENT = "node fell silent"
    FOUND_STARTING = "node is back, starting"
    FOUND_RUNNING = "node is back, running"
    FOUND_STOPPING = "node is back, stopping"
    RETRIED = "retried by a person"
    PREEMPTED = "preempted"
    STOPPED_TO_WAIT = "stopped, to wait again"


_S, _V = JobState, Verb

TRANSITIONS: Final[Mapping[tuple[JobState, Verb], JobState]] = {
    (_S.PENDING, _V.PLACED): _S.STARTING,
    (_S.PENDING, _V.CANCEL_ASKED): _S.CANCELLED,
    (_S.PENDING, _V.AFTER_FAILED): _S.FAILED,
    (_S.STARTING, _V.STARTED): _S.RUNNING,
    (_S.STARTING, _V.EXITED_CLEANLY): _S.SUCCEEDED,
    (_S.STARTING, _V.EXITED_BADLY): _S.FAILED,
    (_S.STARTING, _V.REQUEUED): _S.PENDING,
    (_S.STARTING, _V.CANCEL_ASKED): _S.STOPPING,
    (_S.STARTING, _V.NODE_SILENT): _S.UNKNOWN,
    (_S.RUNNING, _V.EXITED_CLEANLY): _S.SUCCEEDED,
    (_S.RUNNING, _V.EXITED_BADLY): _S.FAILED,
    (_S.RUNNING, _V.REQUEUED): _S.PENDING,
    (_S.RUNNING, _V.CANCEL_ASKED): _S.STOPPING,
    (_S.RUNNING, _V.TIME_UP): _S.STOPPING,
    (_S.RUNNING, _V.NODE_SILENT): _S.UNKNOWN,
    (_S.STOPPING, _V.STOPPED): _S.CANCELLED,
    (_S.STOPPING, _V.STOPPED_BY_TIME): _S.TIMED_OUT,
    (_S.STOPPING, _V.REQUEUED): _S.PENDING,
    (_S.STOPPING, _V.EXITED_BADLY): _S.FAILED,
    (_S.STOPPING, _V.NODE_SILENT): _S.UNKNOWN,
    (_S.STARTING, _V.PREEMPTED): _S.STOPPING,
    (_S.RUNNING, _V.PREEMPTED): _S.STOPPING,
    (_S.STOPPING, _V.STOPPED_TO_WAIT): _S.PENDING,
    (_S.STOPPING, _V.EXITED_CLEANLY): _S.SUCCEEDED,
    (_S.UNKNOWN, _V.STOPPED_TO_WAIT): _S.PENDING,
    (_S.UNKNOWN, _V.FOUND_STARTING): _S.STARTING,
    (_S.UNKNOWN, _V.FOUND_RUNNING): _S.RUNNING,
    (_S.UNKNOWN, _V.FOUND_STOPPING): _S.STOPPING,
    (_S.UNKNOWN, _V.REQUEUED): _S.PENDING,
    (_S.UNKNOWN, _V.EXITED_BADLY): _S.FAILED,
    (_S.UNKNOWN, _V.STOPPED): _S.CANCELLED,
    (_S.SUCCEEDED, _V.RETRIED): _S.PENDING,
    (_S.FAILED, _V.RETRIED): _S.PENDING,
    (_S.CANCELLED, _V.RETRIED): _S.PENDING,
    (_S.TIMED_OUT, _V.RETRIED): _S.PENDING,
}


class IllegalTransition(EaasError):
    """A job was told something its state has no answer to."""

    code = "illegal_transition"
    http_status = 409

    def __init__(self, job: int, state: JobState, verb: Verb) -> None:
        self.job, self.state, self.verb = job, state, verb
        super().__init__(f"job {job} is {state}, so '{verb}' cannot happen to it")


def next_state(job: int, state: JobState, verb: Verb) -> JobState:
    """Return the state after the verb; raise ``IllegalTransition`` when there is none."""
    target = TRANSITIONS.get((state, verb))
    if target is None:
        raise IllegalTransition(job, state, verb)
    return target
