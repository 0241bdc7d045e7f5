"""What is to be done once a step is stored; an agent that connects gets it all anew."""

from eaas.ids import CardUuid, JobUid, NodeName
from eaas_daemon.core.model import Value


class Dispatch(Value, frozen=True, kw_only=True):
    """The node's agent should see the job's order as it stands now (new, or to be stopped)."""

    node: NodeName
    uid: JobUid


class Dropped(Value, frozen=True, kw_only=True):
    """The attempt's end is stored; the agent may forget it."""

    node: NodeName
    uid: JobUid
    attempt: int


class JobOver(Value, frozen=True, kw_only=True):
    """The job has ended for good; its workspace's keeping time begins."""

    node: NodeName
    uid: JobUid


class KeepUntil(Value, frozen=True, kw_only=True):
    """The job's workspace is to be kept until then."""

    node: NodeName
    uid: JobUid
    until: float


class CleanCard(Value, frozen=True, kw_only=True):
    """The node should take a person's word that a card is clean."""

    node: NodeName
    card: CardUuid


class Greet(Value, frozen=True, kw_only=True):
    """Welcome the agent of this session and send it everything that should run there."""

    node: NodeName
    session: str
    past_seq: int | None = None
    """How far this controller knows the life that the agent obeyed before."""


class TurnAway(Value, frozen=True, kw_only=True):
    """Refuse the connection of this session."""

    session: str
    code: str
    text: str


class Acknowledge(Value, frozen=True, kw_only=True):
    """The agent's facts up to here are stored."""

    node: NodeName
    spool_id: str
    seq: int


class Expel(Value, frozen=True, kw_only=True):
    """Whoever came in by this credential has to leave."""

    credential: str


Effect = (
    CleanCard | Dispatch | Dropped | JobOver | KeepUntil | Greet | TurnAway | Acknowledge | Expel
)
