"""What an agent says to the controller on its control link."""

from typing import Final, Literal

import msgspec

from eaas.wire.codec import Codec
from eaas.wire.to_agent import Order


class FromAgent(msgspec.Struct, frozen=True, kw_only=True):
    """Any message of this direction."""


TOO_OLD_FOR_RANKS: Final = "its agent is too old for jobs on several nodes; upgrade it"


class CardProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process on a card, as the host sees it."""

    pid: int
    memory_mib: int | None
    user: str | None = None
    command: str | None = None
    container: str | None = None
    uid: str | None = None
    """The job's uid, when the process belongs to an attempt of this agent."""


class CardReport(msgspec.Struct, frozen=True, kw_only=True):
    """One card, read and judged by its own node."""

    uuid: str
    index: int
    model: str
    state: Literal["free", "held", "foreign", "dirty", "sick", "unknown"]
    """The node's own judgement; the controller adds shared and excluded."""
    text: str | None = None
    """Why it is not free, in a sentence; may quote a process, so not safe for a terminal."""
    memory_total_mib: int | None
    memory_used_mib: int | None
    utilization_pct: int | None
    temperature_c: int | None
    power_w: float | None
    processes: tuple[CardProcess, ...] | None
    simulated: bool = False
    share_mib: int | None = None
    """What jobs that share the card may declare together; None: it can't be shared."""
    over_mib: int = 0
    """What is in use on a shared card beyond what its jobs declared, rounded up: no new share may
    count on it."""
    overusers: tuple[int, ...] = ()
    """Jobs that use more of a shared card than they declared."""


class CardLink(msgspec.Struct, frozen=True, kw_only=True):
    """How close two cards are."""

    a: str
    b: str
    kind: str


class Image(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    digest: str | None
    size_mib: int


class NamedMount(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of the node that jobs may ask for by name; where it lies stays the node's affair."""

    name: str
    read_only: bool = False
    unavailable: str | None = None
    """Why no job can have it now, in words; may name a path, so not safe for a terminal."""
    users: tuple[str, ...] = ()
    """Whose jobs may have it; empty is everyone's."""
    queues: tuple[str, ...] = ()
    """Jobs of which queues may have it, as ``queue`` or ``pool/queue``; empty is all."""
    per_user: bool = False
    """Each job sees only the folder of its own user."""
    people: tuple[str, ...] | None = None
    """With ``per_user``, who has a folder there; None: nobody can tell before a job asks."""


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """What the node has. Sent in the greeting and again whenever it changes."""

    runtime: Literal["docker", "process"]
    engine: str | None
    faults: tuple[tuple[str, str], ...] = ()
    """(condition code, sentence): while any stands, the node takes no new work."""
    notes: tuple[str, ...] = ()
    cpus: float
    memory_mib: int
    disk_free_mib: int | None
    cards: tuple[CardReport, ...]
    cards_text: str | None = None
    """Why there are no cards, or why none can be offered."""
    driver: str | None = None
    links: tuple[CardLink, ...] = ()
    images: tuple[Image, ...] = ()
    named_mounts: tuple[NamedMount, ...] = ()
    labels: dict[str, str] = {}
    people: tuple[str, ...] | None = None
    """Whose plain processes can run here, by name; None: nobody can tell before a job comes."""
    address: str | None = None
    """By which other nodes reach it, where its owner says so."""
    no_ranks: str | None = TOO_OLD_FOR_RANKS
    """Why it takes no rank of a job on several nodes, in words; None: it does. An agent that says
    nothing of it is older than such jobs."""
    max_sharers: int = 8
    """How many jobs may share one card."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that the agent knows and has not forgotten yet."""

    uid: str
    number: int
    attempt: int
    epoch: int
    state: Literal["accepted", "starting", "running", "stopping", "ended"]
    started_at: float | None = None


class Hello(FromAgent, frozen=True, kw_only=True, tag="hello"):
    """The first message of a connection: who the agent is and everything it holds."""

    protocol_min: int
    protocol_max: int
    version: str
    node: str
    node_uid: str
    """Made once, kept in the agent's state folder."""
    instance: str
    """New with every agent process: two live ones with one ``node_uid`` are a cloned disk."""
    boot_id: str
    epoch: int
    """The highest controller epoch this agent has seen; 0 for none."""
    life: str = ""
    """Which life of the controller it obeyed last; empty for none."""
    life_seq: int = 0
    """How far that life had come when it said the last thing that was obeyed."""
    spool_id: str
    last_seq: int
    """The highest sequence number in its spool; 0 for none."""
    inventory: Inventory
    held: tuple[Held, ...]


# --- facts: spooled on the agent's disk, acknowledged after the controller's commit


class AttemptRunning(msgspec.Struct, frozen=True, kw_only=True, tag="running"):
    """The container or process has started."""

    uid: str
    attempt: int
    started_at: float
    """Unix seconds by the node's clock."""
    handle: str
    """The container's id, or the process' pid and start."""
    image_digest: str | None = None
    warnings: tuple[str, ...] = ()


class AttemptStopping(msgspec.Struct, frozen=True, kw_only=True, tag="stopping"):
    """The agent began to stop the attempt because its timeout has passed."""

    uid: str
    attempt: int
    at: float


class AttemptEnded(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The attempt is over, or never began and never will."""

    uid: str
    attempt: int
    cause: Literal["exited", "stopped", "timed_out", "start_failed", "lost", "never_started"]
    """``stopped``: we ended it because the wanted list said so; ``never_started``: stopped before
    it began.
    """
    exit_code: int | None
    oom_killed: bool | None = None
    started_at: float | None = None
    """Repeated here, so that one late fact tells the whole story."""
    finished_at: float
    ran_for_s: float | None = None
    fault: Literal["user", "node"] = "user"
    detail: str | None = None
    """The runtime's code for a failed start."""
    text: str | None = None
    stdout_bytes: int | None = None
    """The log's final length where it is known already; else it comes on the log link."""
    stderr_bytes: int | None = None


class WorkspaceGone(msgspec.Struct, frozen=True, kw_only=True, tag="workspace_gone"):
    """A job's workspace was deleted on its node."""

    uid: str
    at: float
    why: Literal["expired", "disk_pressure"]


Fact = AttemptRunning | AttemptStopping | AttemptEnded | WorkspaceGone


class Spooled(msgspec.Struct, frozen=True):
    """A fact with its place in the agent's spool."""

    seq: int
    fact: Fact


class Facts(FromAgent, frozen=True, kw_only=True, tag="facts"):
    """Facts in order, without gaps. Sent again after a reconnect until acknowledged."""

    spool_id: str
    facts: tuple[Spooled, ...]


# --- passing news: never spooled, only the newest counts


class Progress(FromAgent, frozen=True, kw_only=True, tag="progress"):
    """What an attempt is doing before it runs."""

    uid: str
    attempt: int
    name: Literal["pulling", "creating", "starting"]
    done_bytes: int | None = None
    total_bytes: int | None = None


class Beat(FromAgent, frozen=True, kw_only=True, tag="beat"):
    """A sign of life with fresh readings, every 2 s."""

    memory_used_mib: int | None
    loop_lag_s: float
    clock_ahead_s: float | None = None
    """How far the node's clock is ahead of the controller's, half a round trip taken off; below 0:
    behind."""
    cards: tuple[CardReport, ...]
    sampled_at: float | None


class InventoryChanged(FromAgent, frozen=True, kw_only=True, tag="inventory"):
    """Something of the inventory is different now: an engine came or went, an image, a card."""

    inventory: Inventory


class FilesFailed(FromAgent, frozen=True, kw_only=True, tag="files_failed"):
    """Files that were asked for can't be sent; the sentence says why."""

    request: str
    text: str


class Unlisted(FromAgent, frozen=True, kw_only=True, tag="unlisted"):
    """An attempt of an earlier epoch that the full list did not name: it goes on, and the
    controller, which came out of a backup, may adopt it. Said again at every greeting until then.
    """

    order: Order
    state: Literal["accepted", "running", "stopping"]
    started_at: float | None = None
    handle: str | None = None


AnyFromAgent = Hello | Facts | Progress | Beat | InventoryChanged | FilesFailed | Unlisted

FROM_AGENT: Codec[AnyFromAgent] = Codec(AnyFromAgent)
