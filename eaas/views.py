"""What REST, the stream and ``-o json`` show: one Struct per word. Nothing is ever absent; unknown
is null.
"""

from typing import Any, Generic, Literal, TypeVar

import msgspec

from eaas.lifecycle import DEFAULT_HALF_LIFE_S

T = TypeVar("T")


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of one thing, complete in itself."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """A list answer: the items and where the next page begins."""

    items: list[T]
    next: str | None = None


class ReasonView(View, frozen=True, kw_only=True):
    code: str
    text: str


class ScopedReasonView(ReasonView, frozen=True, kw_only=True):
    scope: Literal["job", "queue", "pool"]


class PhaseView(View, frozen=True, kw_only=True):
    name: str
    done_bytes: int | None = None
    total_bytes: int | None = None
    eta_s: float | None = None


class HeldCardView(View, frozen=True, kw_only=True):
    uuid: str
    index: int | None
    memory_mib: int | None
    """The share that was claimed; None is the whole card."""


class LogView(View, frozen=True, kw_only=True):
    stdout_bytes: int
    stderr_bytes: int
    gap_bytes: int | None
    """Bytes known to be missing; None when nobody could count them."""
    complete: bool


class LogMatchView(View, frozen=True, kw_only=True):
    """A line of a log that has the words, and its first match."""

    offset: int
    line: int | None
    """1-based; None so far into the log that nobody counted."""
    text: str


class LogTimeView(View, frozen=True, kw_only=True):
    """From the byte ``offset`` on, until the next one of these, the log arrived at that moment."""

    offset: int
    at: str | None
    """None for what nobody knows the time of."""


class AttemptView(View, frozen=True, kw_only=True):
    number: int
    state: str
    node: str
    cards: tuple[HeldCardView, ...]
    container_id: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    exit_code: int | None
    oom_killed: bool | None
    reason: ReasonView | None
    log: LogView


class JobView(View, frozen=True, kw_only=True):
    id: int
    uid: str
    ref: str
    array_index: int | None
    name: str | None
    user: str
    pool: str
    queue: str
    state: str
    phase: PhaseView | None
    reason: ReasonView | None
    position: int | None
    """1 is the next of its pool; None when it does not wait."""
    priority: int
    attempt: int
    """0 before the first one."""
    node: str | None
    cards: tuple[HeldCardView, ...]
    exit_code: int | None
    oom_killed: bool | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    run_s: float | None
    timeout_s: float | None
    image_digest: str | None
    spec: dict[str, Any]
    """The job file's own keys; null for people who may not read it."""
    attempts: tuple[AttemptView, ...]
    workspace: str | None = None
    """A sentence on where the workspace is and until when it is kept."""
    array: int | None = None
    """The number of the array that it is a task of."""
    preemptions: int = 0
    """How often it was stopped for a job of a more urgent queue, to go on later."""


class ConditionView(View, frozen=True, kw_only=True):
    code: str
    text: str
    since: str


class PoolNodeView(View, frozen=True, kw_only=True):
    name: str
    cards: tuple[str, ...] | None
    """The cards that belong to the pool; None is all of them."""


class PoolUserView(View, frozen=True, kw_only=True):
    """What one user has of a pool, now and of late."""

    user: str
    running: int
    gpus_held: int
    card_hours: float
    """Decayed use, which fair share goes by: who has had less goes first."""


class PoolView(View, frozen=True, kw_only=True):
    name: str
    nodes: tuple[PoolNodeView, ...]
    queues: tuple[str, ...]
    cards_total: int
    cards_free: int
    cards_held: int
    cards_unavailable: int
    waiting: int
    running: int
    max_gpus_per_user: int | None = None
    half_life_s: float = DEFAULT_HALF_LIFE_S
    users: tuple[PoolUserView, ...] = ()
    """Whoever has had cards of late, those with the least use first."""


class QueueView(View, frozen=True, kw_only=True):
    name: str
    pool: str
    ref: str
    priority: int
    paused: bool
    max_running: int | None
    max_gpus: int | None
    max_pending: int | None
    max_per_user: int | None
    max_gpus_per_user: int | None
    max_priority: int | None
    timeout_s: float | None
    max_timeout_s: float | None
    allow: tuple[str, ...]
    preemptible: bool
    hold_after_s: float | None
    idle_after_s: float | None
    requeue_after_s: float | None
    waiting: int
    running: int
    gpus_held: int


class EventView(View, frozen=True, kw_only=True):
    """One line of the journal."""

    seq: int
    at: str
    kind: str
    text: str
    job: int | None
    node: str | None
    user: str | None


class FolderView(View, frozen=True, kw_only=True):
    """A watched folder: whose files it takes, and how it is doing since the controller's start."""

    path: str
    pool: str | None
    queue: str | None
    user: str | None
    """Whose jobs they are; None: the file's owner's."""
    log: bool
    state: Literal["watching", "disabled"]
    reason: str | None
    """Why it is out of use; while it is watched, what is wrong with where its jobs go."""
    accepted: int
    refused: int
    looked_at: str | None
    left: int = 0
    """What lies in it and is not taken: no job file by its name, or nothing that can be moved."""
    open_to: str | None = None
    """Who may put files there; None until it was looked into."""
    private: bool | None = None
    """Nobody but the controller's user and root may, so their files are an admin's word."""


class FolderCountsView(View, frozen=True, kw_only=True):
    """All watched folders in one line."""

    watched: int
    wrong: int
    """Those with something wrong, out of use or not."""
    left: int
    """What lies in them and is not taken."""


class StatusView(View, frozen=True, kw_only=True):
    """The controller in one glance."""

    version: str
    epoch: int
    started_at: str
    seq: int
    pools: int
    nodes: int
    nodes_ready: int
    cards_total: int
    cards_free: int
    waiting: int
    running: int
    home: str
    address: str | None
    user: str
    role: str
    conditions: tuple[ConditionView, ...] = ()
    """What is wrong with the whole."""
    folders: FolderCountsView | None = None
    """None from a controller that does not tell."""
