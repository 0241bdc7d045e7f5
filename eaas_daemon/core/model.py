"""The values the controller thinks in: jobs with their attempts, nodes, pools, queues."""

from typing import Final, Literal

import msgspec

from eaas.ids import CardUuid, JobNumber, JobUid, NodeName, PoolName, QueueName, UserName, queue_ref
from eaas.job_ref import task_ref
from eaas.job_spec import JobSpec
from eaas.lifecycle import DEFAULT_HALF_LIFE_S, DEFAULT_HOLD_AFTER_S, ENDED, PLACED, JobState, Verb
from eaas.preempt_reasons import Preempted
from eaas.wire.from_agent import CardReport, Inventory
from eaas_daemon.core.link_history import LinkHistory
from eaas_daemon.core.reason_union import AnyReason

MAX_INFRA_RETRIES: Final = 3
"""How often a job is tried again after failures that were a node's fault."""

DEFAULT_CPUS_MILLI: Final = 1000
"""What a job that names no ``cpus`` counts for; nothing limits it to that."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """Any value of the core."""


class HeldCard(Value, frozen=True, kw_only=True):
    """A card owned by an attempt."""

    uuid: CardUuid
    index: int
    memory_mib: int | None = None
    """The claimed share; None is the whole card."""
    of_mib: int | None = None
    """With a share: what all shares of the card might come to when it was claimed."""

    @property
    def thousandths(self) -> int:
        """Return what of a card it counts for in fair share."""
        return thousandths_of(self.memory_mib, self.of_mib)


def thousandths_of(memory_mib: int | None, of_mib: int | None) -> int:
    """Return what of a card a claim counts for: a whole one is 1000, a share what it takes of all
    that can be shared, rounded up.
    """
    if memory_mib is None or not of_mib:
        return 1000
    return min(1000, -(-memory_mib * 1000 // of_mib))


class Phase(Value, frozen=True, kw_only=True):
    """What an attempt does before it runs. Passing news: never stored."""

    name: str
    done_bytes: int | None = None
    total_bytes: int | None = None


class StopIntent(Value, frozen=True, kw_only=True):
    """Somebody, or the clock, wants the current attempt to end."""

    why: Literal["cancelled", "timed_out", "preempted"]
    by: str
    grace_s: float
    first: Preempted | None = None
    """The job that goes first, where that is why, or was before a person cancelled this one."""
    ends: Verb | None = None
    """What its end means whatever that looks like: what became of another rank of its job."""
    reason: AnyReason | None = None
    """Why that is so."""

    @property
    def preempted(self) -> Preempted | None:
        """Return for whom it is only interrupted, to go on later; None if it is to end."""
        return self.first if self.why == "preempted" else None


class Promise(Value, frozen=True, kw_only=True):
    """The room that is being made for a waiting job: others are stopped for it. Unix seconds."""

    node: NodeName
    cards: tuple[CardUuid, ...]
    """Free, coming free, or still held by those that are being stopped."""
    stopped_by: float
    """When those that are in the way have been stopped, if nothing goes wrong."""
    ready_by: float
    """When all of it is there, if nothing goes wrong."""


class Meeting(Value, frozen=True, kw_only=True):
    """Where the ranks of a job on several nodes find the first of them, for one attempt."""

    address: str
    port: int


class Attempt(Value, frozen=True, kw_only=True):
    """One run of a job on one node. Times are Unix seconds."""

    number: int
    node: NodeName
    node_uid: str
    cards: tuple[HeldCard, ...]
    state: JobState
    created_at: float
    started_at: float | None = None
    finished_at: float | None = None
    handle: str | None = None
    exit_code: int | None = None
    oom_killed: bool | None = None
    reason: AnyReason | None = None
    stdout_bytes: int | None = None
    """The log's final length; None while it is not known."""
    stderr_bytes: int | None = None
    gap_bytes: int | None = 0
    log_complete: bool = False
    meeting: Meeting | None = None
    """Of a rank."""

    @property
    def thousandths(self) -> int:
        """Return how many cards it counts for in fair share, in thousandths."""
        return sum(card.thousandths for card in self.cards)


class Job(Value, frozen=True, kw_only=True):
    """What a person asked for, and all that became of it. Times are Unix seconds."""

    uid: JobUid
    number: JobNumber
    user: UserName
    spec: JobSpec
    pool: PoolName
    queue: QueueName
    state: JobState
    priority: int
    rank: int = 0
    """Below 0: put to the top by an admin; the lower, the later that was."""
    created_at: float
    finished_at: float | None = None
    attempts: tuple[Attempt, ...] = ()
    reason: AnyReason | None = None
    """Why it ended, or why its last attempt did not do it."""
    stop: StopIntent | None = None
    pending_since: float | None = None
    """When it last began to wait for room, where that was not when it was submitted."""
    not_before: float | None = None
    """Waits until then: its own wish, or backoff after a failed attempt."""
    waits_for: tuple[JobNumber, ...] = ()
    """Jobs that it is to follow and that have not succeeded yet."""
    retries_used: int = 0
    infra_retries: int = 0
    image_digest: str | None = None
    timeout_s: float | None = None
    """The one in force: the job's own, or its queue's."""
    keep_until: float | None = None
    """When the workspace may be deleted; None before the end."""
    workspace_gone: Literal["expired", "disk_pressure"] | None = None
    array: JobNumber | None = None
    """The number of the array that it is a task of: that of the array's first task. Also of a job
    on several nodes that it is a rank of."""
    array_index: int | None = None
    scattered: bool = False
    """A rank that waits while others of its job do not yet: only all of them can be placed."""
    promise: Promise | None = None
    """Where it starts as soon as others have been stopped for it; it stands in no line then."""

    @property
    def called(self) -> str:
        """Return how people name it: ``42``, or ``42[7]``."""
        return task_ref(self.number if self.array is None else self.array, self.array_index)

    @property
    def preemptions(self) -> int:
        """Return how often it was stopped for a job of a more urgent queue."""
        return sum(isinstance(attempt.reason, Preempted) for attempt in self.attempts)

    @property
    def ref(self) -> str:
        """Return the queue as people write it, ``pool/queue``."""
        return queue_ref(self.pool, self.queue)

    @property
    def attempt(self) -> Attempt | None:
        """Return the newest attempt, running or not."""
        return self.attempts[-1] if self.attempts else None

    @property
    def live_attempt(self) -> Attempt | None:
        """Return the attempt that owns a node's room now."""
        return self.attempts[-1] if self.state in PLACED else None

    @property
    def since(self) -> float:
        """Return since when it has waited for room."""
        return self.created_at if self.pending_since is None else self.pending_since

    @property
    def in_line(self) -> bool:
        """Tell whether it waits for nothing but room and its turn; of all ranks the first does."""
        free = self.not_before is None and not self.waits_for and self.promise is None
        if not free or self.state is not JobState.PENDING:
            return False
        return not self.is_rank or (self.number == self.array and not self.scattered)

    @property
    def is_rank(self) -> bool:
        """Tell whether it is one of several that run at once, each on a node of its own."""
        return self.spec.num_nodes > 1 and self.array is not None

    @property
    def ended(self) -> bool:
        """Tell whether nothing more will happen to it by itself."""
        return self.state in ENDED


class Queue(Value, frozen=True, kw_only=True):
    """An entry into one pool."""

    pool: PoolName
    name: QueueName
    priority: int = 0
    paused: bool = False
    max_running: int | None = None
    max_gpus: int | None = None
    max_pending: int | None = None
    max_per_user: int | None = None
    max_gpus_per_user: int | None = None
    max_priority: int | None = None
    timeout_s: float | None = None
    max_timeout_s: float | None = None
    hold_after_s: float | None = DEFAULT_HOLD_AFTER_S
    """How long its first job waits before freed cards are kept for it; None is for ever."""
    allow: tuple[UserName, ...] = ()
    """Who may use it; empty is everyone."""
    preemptible: bool = False
    """Whether its jobs may be stopped, to go on later, for those of more urgent queues."""

    @property
    def has_caps(self) -> bool:
        """Tell whether there is anything that its jobs can have too much of."""
        caps = (self.max_running, self.max_gpus, self.max_per_user, self.max_gpus_per_user)
        return caps != (None, None, None, None)

    @property
    def ref(self) -> str:
        """Return ``pool/queue``."""
        return queue_ref(self.pool, self.name)


class UseSoFar(Value, frozen=True, kw_only=True):
    """What the users of a pool had had by some moment (Unix seconds): their claims from before
    tell it no more.
    """

    as_of: float
    card_seconds: dict[UserName, float] = {}
    """Decayed as of then; who is not in it had had nothing."""


class Pool(Value, frozen=True, kw_only=True):
    """A set of nodes, or of some of their cards."""

    name: PoolName
    members: dict[NodeName, tuple[CardUuid, ...] | None] = {}
    """The cards that belong; None is the whole node."""
    max_gpus_per_user: int | None = None
    """How many cards one user may hold in all its queues together."""
    half_life_s: float = DEFAULT_HALF_LIFE_S
    """After that long a card-second counts half in fair share."""
    used: UseSoFar | None = None
    """From where its users' use is counted on; None: from their first claim."""


class Trouble(Value, frozen=True, kw_only=True):
    """What is wrong with a node, in a sentence, and since when."""

    text: str
    since: float
    is_sure: bool = True
    """False while it is only suspected."""


class Node(Value, frozen=True, kw_only=True):
    """A machine with an agent, as last heard of. Times are Unix seconds."""

    name: NodeName
    uid: str
    inventory: Inventory
    version: str
    boot_id: str
    address: str | None = None
    draining: bool = False
    excluded: frozenset[CardUuid] = frozenset()
    excluded_by: dict[CardUuid, str] = {}
    """Who excluded a card; one that was excluded before this was noted has no entry."""
    labels: dict[str, str] = {}
    """Set by people; the inventory's own come on top of these only where these say nothing."""
    last_seen_at: float | None = None
    instance: str | None = None
    """The agent process of the last connection."""
    spool_id: str | None = None
    session: str | None = None
    """The live connection; None while there is none."""
    link: LinkHistory = LinkHistory()
    """What its connections were like."""
    offline: bool = False
    """True once the silence has lasted too long to count on the node."""
    offline_since: float | None = None
    needs_upgrade: str | None = None
    """Why its agent was refused, while it is."""
    revoked: Trouble | None = None
    """Who took its credential away, while it has no other."""
    obeys_another: Trouble | None = None
    """Its agent obeys a later copy of this controller and does nothing for this one."""
    twin: Trouble | None = None
    """Which second agent came with its identity, until an admin says that this is settled."""
    memory_used_mib: int | None = None
    cards: tuple[CardReport, ...] = ()
    """The newest readings, by index."""
    sampled_at: float | None = None

    @property
    def all_labels(self) -> dict[str, str]:
        """Return the labels its owner and its people gave it; people have the last word."""
        return {**self.inventory.labels, **self.labels}

    @property
    def offer(self) -> tuple[object, ...]:
        """Return all of it that placement looks at; readings in between are not in it."""
        cards = tuple(
            (
                card.uuid,
                card.index,
                card.state,
                card.model,
                card.memory_total_mib,
                card.share_mib,
                card.over_mib,
            )
            for card in self.cards
        )
        is_silent = self.session is None
        shut = (is_silent, self.offline, self.draining, self.needs_upgrade, self.twin is None)
        return self.inventory, cards, shut, self.excluded, self.labels

    def card(self, uuid: str) -> CardReport | None:
        """Return the card of that UUID, if the node has it."""
        return next((card for card in self.cards if card.uuid == uuid), None)


class Reservation(Value, frozen=True, kw_only=True):
    """The nodes that the first job without room waits for. Times are Unix seconds."""

    pool: PoolName
    nodes: tuple[NodeName, ...]
    """By name; one, or as many as a job on several nodes asks for."""
    uid: JobUid
    number: JobNumber
    user: UserName
    at: float | None
    """When everything in its way has ended at the latest, on all of them; None where an end is
    unknown."""
    holds_from: float | None
    """From when on cards that become free are kept for it where an end is unknown."""
    is_firm: bool
    """Whether there is anything to keep: something that it needs is free, and not enough."""
    cards: tuple[CardUuid, ...] = ()
    """The free ones that are kept for it."""

    @property
    def is_promise(self) -> bool:
        """Tell whether anything is kept for the job, or a moment was named."""
        return self.is_firm or self.at is not None


class MassLoss(Value, frozen=True, kw_only=True):
    """Most nodes fell silent at once. Times are Unix seconds."""

    since: float
    until: float
    """Nothing is concluded from their silence before that."""
    lost: int
    of: int


def nominal_mib(total_mib: int | None) -> int | None:
    """Return a card's size as people say it.

    The driver's total is a little under the number on the box; it is rounded up to whole GiB when
    that adds 3 % at most, so that a "24 GB" card holds 24GiB.
    """
    if total_mib is None:
        return None
    whole = -(-total_mib // 1024) * 1024
    return whole if whole <= total_mib * 1.03 else total_mib
