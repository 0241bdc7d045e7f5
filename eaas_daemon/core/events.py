"""What can happen to the controller; ``step`` answers each one or refuses it."""

from typing import Literal

from eaas.ids import JobNumber, JobUid, NodeName, PoolName, UserName
from eaas.job_array import JobArray
from eaas.job_spec import JobSpec
from eaas.wire import from_agent
from eaas.wire.logs import LogEnd
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core.credential import PersonRole
from eaas_daemon.core.link_history import EndedBy
from eaas_daemon.core.model import Value


class Caller(Value, frozen=True, kw_only=True):
    """Who asks."""

    user: UserName
    role: PersonRole = "member"
    credential: str | None = None
    """By which token they came in; None on this host, where the kernel knows them."""

    @property
    def admin(self) -> bool:
        """Tell whether they may change the pool itself and other people's jobs."""
        return self.role == "admin"


class Event(Value, frozen=True, kw_only=True):
    """Anything that ``step`` takes."""


class Asked(Event, frozen=True, kw_only=True):
    """Something a person wants."""

    caller: Caller


# --- jobs


class Submit(Asked, frozen=True, kw_only=True):
    """Jobs that come or are refused together. Answer: the jobs."""

    specs: tuple[JobSpec, ...]
    force: bool = False
    key: str | None = None
    body_hash: bytes = b""


class Cancel(Asked, frozen=True, kw_only=True):
    """Answer: the job."""

    number: JobNumber
    grace_s: float | None = None


class SetPriority(Asked, frozen=True, kw_only=True):
    """Answer: the job."""

    number: JobNumber
    priority: int


class PutOnTop(Asked, frozen=True, kw_only=True):
    """Answer: the job."""

    number: JobNumber
    rank: int | None = None
    """The one that those have which are put on top together; None is one of its own."""


class Move(Asked, frozen=True, kw_only=True):
    """Answer: the job."""

    number: JobNumber
    pool: PoolName
    queue: str


class Retry(Asked, frozen=True, kw_only=True):
    """Run an ended job again. Answer: the job."""

    number: JobNumber


class Keep(Asked, frozen=True, kw_only=True):
    """Keep the workspace of an ended job. Answer: the job."""

    number: JobNumber
    for_s: float


Deed = Cancel | SetPriority | PutOnTop | Move | Retry | Keep


class ToTasks(Asked, frozen=True, kw_only=True):
    """What would be done to one job is done to tasks of an array. Answer: how many it changed."""

    deed: Deed
    """With the array's number."""
    indices: JobArray = JobArray()
    """Of which tasks; empty is all of them."""


# --- pools, queues, nodes


class CreatePool(Asked, frozen=True, kw_only=True):
    """Answer: the pool."""

    name: str


class ChangePool(Asked, frozen=True, kw_only=True):
    """Answer: the pool."""

    name: str
    settings: SetPool


class DeletePool(Asked, frozen=True, kw_only=True):
    name: str


class AddToPool(Asked, frozen=True, kw_only=True):
    """Answer: the pool."""

    pool: str
    node: str
    cards: tuple[str, ...] | None


class RemoveFromPool(Asked, frozen=True, kw_only=True):
    """Answer: the pool."""

    pool: str
    node: str


class CreateQueue(Asked, frozen=True, kw_only=True):
    """Answer: the queue."""

    pool: str
    name: str
    settings: SetQueue


class ChangeQueue(Asked, frozen=True, kw_only=True):
    """Answer: the queue."""

    pool: str
    name: str
    settings: SetQueue


class DeleteQueue(Asked, frozen=True, kw_only=True):
    pool: str
    name: str


class Book(Asked, frozen=True, kw_only=True):
    """Answer: the booking, as yet without the cards that are picked for it. Times: Unix seconds."""

    gpus: int
    pool: str | None = None
    user: str | None = None
    queue: str | None = None
    """``queue`` or ``pool/queue``; with neither it is the caller's own."""
    start: float | None = None
    """None is now."""
    end: float | None = None
    for_s: float | None = None
    gpu_type: str | None = None
    note: str | None = None


class CancelBooking(Asked, frozen=True, kw_only=True):
    """Answer: the booking as it was."""

    id: int


class SetDraining(Asked, frozen=True, kw_only=True):
    """Answer: the node."""

    node: str
    draining: bool


class SetLabels(Asked, frozen=True, kw_only=True):
    """A null value removes the label. Answer: the node."""

    node: str
    labels: dict[str, str | None]


class SetExcluded(Asked, frozen=True, kw_only=True):
    """Answer: the node."""

    node: str
    card: str
    """An index or the beginning of a UUID."""
    excluded: bool


class CleanCard(Asked, frozen=True, kw_only=True):
    """A person's word that what is left on a card does no harm. Answer: the node."""

    node: str
    card: str
    """An index or the beginning of a UUID."""


class RemoveNode(Asked, frozen=True, kw_only=True):
    node: str


class ConfirmDead(Asked, frozen=True, kw_only=True):
    """A person's word that nothing of the node's attempts runs any more. Answer: the node."""

    node: str


# --- who may come in


class CreateToken(Asked, frozen=True, kw_only=True):
    """Answer: the credential."""

    id: str
    secret_hash: bytes
    role: PersonRole | Literal["agent"]
    user: UserName | None
    """None is the caller."""
    expires_at: float | None
    uses: int | None
    node: NodeName | None = None
    """Which machine alone may join by it."""


class RevokeToken(Asked, frozen=True, kw_only=True):
    """Answer: the credential."""

    id: str


class JoinNode(Event, frozen=True, kw_only=True):
    """An agent came with a join token. Answer: the node's own credential."""

    token: str
    node: str
    node_uid: str
    address: str | None
    id: str
    secret_hash: bytes
    proof: str | None = None
    """The id of the credential that the agent has shown beside the token."""


class RenewCredential(Event, frozen=True, kw_only=True):
    """An agent wants another credential in place of its own. Answer: the new one."""

    old: str
    id: str
    secret_hash: bytes


class CredentialUsed(Event, frozen=True, kw_only=True):
    """Somebody came in by a credential that nobody had used before."""

    id: str
    address: str | None


# --- agents


class AgentSaidHello(Event, frozen=True, kw_only=True):
    session: str
    address: str | None
    hello: from_agent.Hello
    credential: str | None = None
    """By which it came in; None on this host."""
    told_seq: int | None = None
    """The last change that this life of the controller told the agent of; None: it has told it
    nothing."""


class AgentSaidFacts(Event, frozen=True, kw_only=True):
    node: NodeName
    session: str
    facts: from_agent.Facts


class AgentBeat(Event, frozen=True, kw_only=True):
    node: NodeName
    session: str
    beat: from_agent.Beat


class AgentProgress(Event, frozen=True, kw_only=True):
    node: NodeName
    session: str
    progress: from_agent.Progress


class AgentInventory(Event, frozen=True, kw_only=True):
    node: NodeName
    session: str
    inventory: from_agent.Inventory


class AgentHolds(Event, frozen=True, kw_only=True):
    """The agent runs an attempt that it was not told to run by this epoch."""

    node: NodeName
    session: str
    unlisted: from_agent.Unlisted


class AgentGone(Event, frozen=True, kw_only=True):
    """The connection ended; the node is silent from here on."""

    node: NodeName
    session: str
    why: str
    """In plain words."""
    by: EndedBy = "nobody"


class LogFinished(Event, frozen=True, kw_only=True):
    """Every byte of an attempt's log is on our disk."""

    end: LogEnd


class FolderNoted(Event, frozen=True, kw_only=True):
    """A watched folder can be watched again, or can't; or there is another in its place."""

    path: str
    wrong: str | None
    """A sentence, or None when nothing is wrong any more."""
    replaced: bool = False
    doubt: bool = False
    """It is watched, and this is about where its jobs go."""


class SettingsReread(Event, frozen=True, kw_only=True):
    """The controller's settings were read again while it runs."""

    outcome: str
    """What changed, and what needs a restart."""


class LogWasDropped(Event, frozen=True, kw_only=True):
    """An ended attempt's log was deleted so that the log budget holds."""

    uid: JobUid
    attempt: int
    size_bytes: int


class Tick(Event, frozen=True, kw_only=True):
    """Time has passed."""
