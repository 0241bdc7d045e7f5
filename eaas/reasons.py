"""Why something waits, was refused or ended: typed reasons, and the one catalogue of their
sentences.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import msgspec

from eaas.units import format_duration, format_memory_mib


class Reason(msgspec.Struct, frozen=True, kw_only=True, tag_field="code"):
    """A fact that explains a state. ``code`` is stable; the sentence comes from ``SENTENCES``."""

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


class UserCap(Reason, frozen=True, kw_only=True, tag="user_cap"):
    """The user has as many jobs or cards at once as an admin allows one."""

    user: str
    where: str
    """``queue pool/queue`` or ``pool name``."""
    what: Capped
    asked: int
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


class AfterFailed(Reason, frozen=True, kw_only=True, tag="after_failed"):
    """A job that this one is to follow ended without success."""

    job: int
    state: str


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


SENTENCES: Final[Mapping[str, str]] = {
    "pool_has_no_nodes": "pool {pool} has no node yet; mini-eaas pool add {pool} NODE adds one",
    "queue_paused": "queue {queue} is paused",
    "queue_full": "queue {queue} {cap}",
    "user_cap": "in {where} {user} {cap}",
    "backoff": "waits until {until} before attempt {attempt}",
    "not_before": "starts at {until} at the earliest",
    "after_pending": "starts after {after}",
    "after_failed": "job {job}, which it was to start after, is {state}",
    "not_planned_yet": "arrived a moment ago",
    "node_offline": "{node} is offline since {since}",
    "node_draining": "{node} is draining: it finishes its jobs and takes no new ones",
    "node_not_in_pool": "{node} is not in pool {pool}",
    "node_faulty": "{node} can't take work now: {text}",
    "too_few_free_cards": "{node} has {available} free card{s}, {asked} asked for",
    "too_few_cards": "{node} has {available} card{s}, {asked} asked for",
    "card_foreign": "card {card} of {node} is used from outside the pool: {text}",
    "card_dirty": "card {card} of {node} is not clean: {text}",
    "card_sick": "card {card} of {node} is sick: {text}",
    "card_excluded": "card {card} of {node} is excluded by a person",
    "cards_too_small": "cards of {node} hold {available_memory} at most, {asked_memory} asked for",
    "wrong_model": "{node} has {available}, not {asked}",
    "too_little_cpu": "{node} has {available:g} CPU{s} left, {asked:g} asked for",
    "too_few_cpus": "{node} has {available:g} CPU{s}, {asked:g} asked for",
    "too_little_memory": "{node} has {available_memory} of memory left, {asked_memory} asked for",
    "memory_too_small": "{node} has {available_memory} of memory, {asked_memory} asked for",
    "runtime_cannot_run_images": "{node} has no container engine, so it can't run an image",
    "runtime_needs_an_image": "{node} runs containers, so the job must name an image",
    "node_not_asked": "the job does not name {node} among its nodes",
    "runtime_cannot_mount": "{node} has no container engine, so its jobs can't have mounts",
    "mount_missing": "{node} has no mount named {mount}",
    "mount_not_allowed": "mount {mount} of {node} is only for {allowed}",
    "mount_read_only": "mount {mount} of {node} is read-only: ask for {mount}:{target}:ro",
    "mount_without_folder": "mount {mount} of {node} has no folder of {user}",
    "mount_unavailable": "mount {mount} of {node} can't be used now: {text}",
    "exited": "exited with code {exit_code}",
    "out_of_memory": "killed because it used more memory than {limit}",
    "cancelled": "cancelled by {by}",
    "timed_out": "stopped after its timeout of {timeout}",
    "start_failed": "{text}",
    "attempt_lost": "{text}",
    "node_silent": "{node} has been silent since {since}; the job may still run there",
    "confirmed_dead": "{by} confirmed that {node} is dead",
}

SHORT_SILENCES: Final[Mapping[str, str]] = {
    "node_offline": "{node} has been silent for {silence}",
    "node_silent": "{node} has been silent for {silence}; the job may still run there",
}
"""What is said instead while the silence is too short to act upon."""


def sentence(reason: Reason) -> str:
    """Return the reason as an English sentence without a full stop."""
    fields: dict[str, Any] = msgspec.structs.asdict(reason)
    if isinstance(reason, QueueFull | UserCap):
        fields["cap"] = _cap_text(reason)
    fields["s"] = "" if fields.get("available") == 1 else "s"
    for key in ("asked", "available"):
        if isinstance(fields.get(key), int):
            fields[f"{key}_memory"] = format_memory_mib(fields[key])
    if isinstance(reason, AfterPending):
        fields["after"] = _jobs_text(reason.jobs)
    if isinstance(reason, TimedOut):
        fields["timeout"] = format_duration(reason.timeout_s)
    if isinstance(reason, OutOfMemory):
        fields["limit"] = (
            f"its limit of {format_memory_mib(reason.limit_mib)}"
            if reason.limit_mib
            else "the machine had"
        )
    if fields.get("since", "") is None:
        fields["since"] = "an unknown time"
    if fields.get("silent_s") is not None:
        fields["silence"] = format_duration(round(fields["silent_s"]))
        return SHORT_SILENCES[reason.code].format(**fields)
    return SENTENCES[reason.code].format(**fields)


def _jobs_text(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"job {numbers[0]} has succeeded"
    some = ", ".join(map(str, numbers[:5])) + ("" if len(numbers) <= 5 else " and others")
    return f"jobs {some} have succeeded"


def _cap_text(reason: QueueFull | UserCap) -> str:
    what = reason.what[:-1] if reason.limit == 1 else reason.what
    if reason.what == "jobs":
        return f"may run {reason.limit} {what} at once and runs {reason.used}"
    return (
        f"may hold {reason.limit} {what} at once and holds {reason.used};"
        f" {reason.asked} more would be too many"
    )
