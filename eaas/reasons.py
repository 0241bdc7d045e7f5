"""Why something waits, was refused or ended: typed reasons, which ``eaas.sentences`` tells."""

from typing import ClassVar, Literal

import msgspec


class Reason(msgspec.Struct, frozen=True, kw_only=True, tag_field="code"):
    """A fact that explains a state. ``code`` is stable, the sentence is not."""

    never: ClassVar[bool] = False
    """True when no passing of time could change it, only a person or new hardware."""

    @property
    def code(self) -> str:
        """Return the stable name that scripts match on."""
        tag = type(self).__struct_config__.tag
        assert isinstance(tag, str)
        return tag


# --- why a job waits: about the pool or the queue


Capped = Literal["jobs", "cards"]


class PoolHasNoNodes(Reason, frozen=True, kw_only=True, tag="pool_has_no_nodes"):
    pool: str


class QueuePaused(Reason, frozen=True, kw_only=True, tag="queue_paused"):
    queue: str


class QueueFull(Reason, frozen=True, kw_only=True, tag="queue_full"):
    """The queue has as many jobs or cards at once as its owner allows."""

    queue: str
    what: Capped
    asked: int
    used: int
    limit: int


class CapReserved(Reason, frozen=True, kw_only=True, tag="cap_reserved"):
    """What a queue or a user may still have is kept for a job that goes first."""

    queue: str
    """That of the other job."""
    job: int
    user: str


class UserCap(Reason, frozen=True, kw_only=True, tag="user_cap"):
    """The user has as many jobs or cards at once as an admin allows one."""

    user: str
    where: str
    """``queue pool/queue`` or ``pool name``."""
    what: Capped
    asked: int
    used: int
    limit: int


class ArrayFull(Reason, frozen=True, kw_only=True, tag="array_full"):
    """As many tasks of the job's array run as whoever submitted it wants at once."""

    array: int
    used: int
    limit: int


class Backoff(Reason, frozen=True, kw_only=True, tag="backoff"):
    until: str
    """RFC 3339 UTC."""
    attempt: int


class NotBefore(Reason, frozen=True, kw_only=True, tag="not_before"):
    """The job asked for a later start."""

    until: str
    """RFC 3339 UTC."""


class AfterPending(Reason, frozen=True, kw_only=True, tag="after_pending"):
    """Jobs that this one is to follow have not ended yet."""

    jobs: tuple[int, ...]
    called: tuple[str, ...] = ()
    """How people name them."""


class AfterFailed(Reason, frozen=True, kw_only=True, tag="after_failed"):
    """A job that this one is to follow ended without success."""

    job: int
    state: str
    called: str | None = None
    """How people name it, where that is more than its number: ``42[7]``."""


class NotPlannedYet(Reason, frozen=True, kw_only=True, tag="not_planned_yet"):
    """The job arrived a moment ago."""


# --- why a job waits: about one node


class NodeReason(Reason, frozen=True, kw_only=True):
    """Why one node can't take a job; ``asked`` and ``available`` are in the reason's own unit."""

    node: str


class NodeOffline(NodeReason, frozen=True, kw_only=True, tag="node_offline"):
    since: str | None
    silent_s: float | None = None
    """How long it has been missed, while that is too short to call it offline."""


class NodeDraining(NodeReason, frozen=True, kw_only=True, tag="node_draining"):
    pass


class NodeNotInPool(NodeReason, frozen=True, kw_only=True, tag="node_not_in_pool"):
    never: ClassVar[bool] = True
    pool: str


class NodeFaulty(NodeReason, frozen=True, kw_only=True, tag="node_faulty"):
    """The node's engine or disk can't take work now."""

    text: str


class TooFewFreeCards(NodeReason, frozen=True, kw_only=True, tag="too_few_free_cards"):
    asked: int
    available: int


class TooFewCards(NodeReason, frozen=True, kw_only=True, tag="too_few_cards"):
    """The node would not have enough cards even when idle."""

    never: ClassVar[bool] = True
    asked: int
    available: int


class CardForeign(NodeReason, frozen=True, kw_only=True, tag="card_foreign"):
    card: int
    """The card's index, as people say it."""
    text: str
    asked: int
    available: int


class CardDirty(NodeReason, frozen=True, kw_only=True, tag="card_dirty"):
    card: int
    text: str
    asked: int
    available: int


class CardSick(NodeReason, frozen=True, kw_only=True, tag="card_sick"):
    card: int
    text: str
    asked: int
    available: int


class CardReserved(NodeReason, frozen=True, kw_only=True, tag="card_reserved"):
    """What the node has left, or part of it, is kept for a job that goes first."""

    job: int
    user: str
    asked: int
    available: int


class Booking(NodeReason, frozen=True, kw_only=True, tag="booking"):
    """Cards of the node, or the CPUs and memory that go with them, are booked for others."""

    booking: int
    whose: str
    cards: int
    start: str
    """RFC 3339 UTC."""
    end: str
    fits_s: float | None
    """The timeout with which the job could go before it starts; None where none would do."""
    asked: int
    available: int


class CardExcluded(NodeReason, frozen=True, kw_only=True, tag="card_excluded"):
    card: int
    asked: int
    available: int


class CardsTooSmall(NodeReason, frozen=True, kw_only=True, tag="cards_too_small"):
    never: ClassVar[bool] = True
    asked: int
    """MiB per card."""
    available: int
    """MiB of the largest card."""


class TooLittleCardMemory(NodeReason, frozen=True, kw_only=True, tag="too_little_card_memory"):
    """No shared card has so much left; the one with the most is named."""

    card: int
    asked: int
    """MiB."""
    available: int
    """MiB that it has left to be shared."""
    of: int
    """MiB that it has in all."""
    jobs: int
    """How many share it."""


class CardFullOfJobs(NodeReason, frozen=True, kw_only=True, tag="card_full_of_jobs"):
    """The card has memory left, and as many jobs as may share one."""

    card: int
    asked: int
    available: int
    jobs: int


class CardsNotShared(NodeReason, frozen=True, kw_only=True, tag="cards_not_shared"):
    """The node's owner lets nobody share its cards, its agent is older than that, or the driver
    does not say how much memory there is."""

    never: ClassVar[bool] = True


class ShareTooLarge(NodeReason, frozen=True, kw_only=True, tag="share_too_large"):
    """More than any card of the node lets jobs share."""

    never: ClassVar[bool] = True
    asked: int
    """MiB."""
    available: int
    """MiB of the card that has the most to share."""


class WrongModel(NodeReason, frozen=True, kw_only=True, tag="wrong_model"):
    never: ClassVar[bool] = True
    asked: str
    available: str


class TooLittleCpu(NodeReason, frozen=True, kw_only=True, tag="too_little_cpu"):
    asked: float
    available: float


class TooFewCpus(NodeReason, frozen=True, kw_only=True, tag="too_few_cpus"):
    """More CPUs than the node has at all."""

    never: ClassVar[bool] = True
    asked: float
    available: float


class TooLittleMemory(NodeReason, frozen=True, kw_only=True, tag="too_little_memory"):
    asked: int
    available: int


class TooSmallMemory(NodeReason, frozen=True, kw_only=True, tag="memory_too_small"):
    """More memory than the node has at all."""

    never: ClassVar[bool] = True
    asked: int
    available: int


class RuntimeCannotRunImages(
    NodeReason, frozen=True, kw_only=True, tag="runtime_cannot_run_images"
):
    never: ClassVar[bool] = True


class RuntimeNeedsAnImage(NodeReason, frozen=True, kw_only=True, tag="runtime_needs_an_image"):
    never: ClassVar[bool] = True


class NoAccount(NodeReason, frozen=True, kw_only=True, tag="no_account"):
    """A plain process runs as who submitted it, and the node can't run any as them."""

    never: ClassVar[bool] = True
    user: str


class NodeNotAsked(NodeReason, frozen=True, kw_only=True, tag="node_not_asked"):
    """The job names the nodes it may run on, and this is none of them."""

    never: ClassVar[bool] = True


class RuntimeCannotMount(NodeReason, frozen=True, kw_only=True, tag="runtime_cannot_mount"):
    never: ClassVar[bool] = True


class MountMissing(NodeReason, frozen=True, kw_only=True, tag="mount_missing"):
    """The node's owner defined no mount of that name."""

    never: ClassVar[bool] = True
    mount: str


class MountNotAllowed(NodeReason, frozen=True, kw_only=True, tag="mount_not_allowed"):
    """The node's owner keeps the mount for other users or queues."""

    never: ClassVar[bool] = True
    mount: str
    allowed: str
    """For whom it is, in words."""


class MountReadOnly(NodeReason, frozen=True, kw_only=True, tag="mount_read_only"):
    """The job would write where the node's owner lets nobody write."""

    never: ClassVar[bool] = True
    mount: str
    target: str


class MountWithoutFolder(NodeReason, frozen=True, kw_only=True, tag="mount_without_folder"):
    """The mount has a folder for each user, but none for the job's."""

    never: ClassVar[bool] = True
    mount: str
    user: str


class MountUnavailable(NodeReason, frozen=True, kw_only=True, tag="mount_unavailable"):
    """The folder is not there now, or nothing that a job could be given safely."""

    mount: str
    text: str


# --- why a job ended, or what happened to its last attempt


class Exited(Reason, frozen=True, kw_only=True, tag="exited"):
    exit_code: int


class OutOfMemory(Reason, frozen=True, kw_only=True, tag="out_of_memory"):
    exit_code: int | None
    limit_mib: int | None


class Cancelled(Reason, frozen=True, kw_only=True, tag="cancelled"):
    by: str


class TimedOut(Reason, frozen=True, kw_only=True, tag="timed_out"):
    timeout_s: float


class StartRefused(Reason, frozen=True, kw_only=True, tag="start_failed"):
    """The runtime could not start the attempt; ``text`` is its own word."""

    detail: str
    """The runtime's code: image_missing, bad_command, ..."""
    text: str


class AttemptLost(Reason, frozen=True, kw_only=True, tag="attempt_lost"):
    """The attempt ended without a trustworthy exit code."""

    text: str


class NodeSilent(Reason, frozen=True, kw_only=True, tag="node_silent"):
    node: str
    since: str
    silent_s: float | None = None
    """How long it has been missed, while the job is not called Unknown for it yet."""


class ConfirmedDead(Reason, frozen=True, kw_only=True, tag="confirmed_dead"):
    node: str
    by: str
