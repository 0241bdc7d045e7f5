"""Bodies of the REST routes. Strict towards people: an unknown key is refused."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from eaas.views import JobView


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Any request body."""


class SubmitBatch(Body, frozen=True, kw_only=True):
    """``POST /api/v1/jobs:batch``: all or nothing; one job is ``POST /api/v1/jobs`` with the job
    itself as the body.
    """

    jobs: list[dict[str, Any]]
    """Jobs in the job file's vocabulary."""


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    items: list[JobView]


class PatchJob(Body, frozen=True, kw_only=True):
    """``PATCH /api/v1/jobs/{id}``."""

    priority: int | None = None
    queue: str | None = None
    """``queue`` of the same pool, or ``pool/queue``."""


class CancelJob(Body, frozen=True, kw_only=True):
    """``POST /api/v1/jobs/{id}/cancel``."""

    grace_s: float | None = None


class KeepJob(Body, frozen=True, kw_only=True):
    """``POST /api/v1/jobs/{id}/keep``: keep the workspace this much longer."""

    for_s: float


class CreatePool(Body, frozen=True, kw_only=True):
    name: str


class SetPool(Body, frozen=True, kw_only=True):
    """``PATCH /api/v1/pools/{pool}``; a key left out stays as it is."""

    max_gpus_per_user: int | None | UnsetType = UNSET
    half_life_s: float | UnsetType = UNSET


class AddNode(Body, frozen=True, kw_only=True):
    """``PUT /api/v1/pools/{pool}/nodes/{node}``."""

    cards: list[str] | None = None
    """Indexes or UUID prefixes; None is the whole node."""


class SetQueue(Body, frozen=True, kw_only=True):
    """``POST /api/v1/pools/{pool}/queues/{queue}`` creates, ``PATCH`` changes; a key left out stays
    as it is.
    """

    priority: int | msgspec.UnsetType = msgspec.UNSET
    paused: bool | msgspec.UnsetType = msgspec.UNSET
    max_running: int | None | msgspec.UnsetType = msgspec.UNSET
    max_gpus: int | None | msgspec.UnsetType = msgspec.UNSET
    max_pending: int | None | msgspec.UnsetType = msgspec.UNSET
    max_per_user: int | None | msgspec.UnsetType = msgspec.UNSET
    max_gpus_per_user: int | None | msgspec.UnsetType = msgspec.UNSET
    max_priority: int | None | msgspec.UnsetType = msgspec.UNSET
    timeout_s: float | None | msgspec.UnsetType = msgspec.UNSET
    max_timeout_s: float | None | msgspec.UnsetType = msgspec.UNSET
    hold_after_s: float | None | msgspec.UnsetType = msgspec.UNSET
    preemptible: bool | msgspec.UnsetType = msgspec.UNSET
    allow: list[str] | msgspec.UnsetType = msgspec.UNSET


class CreateBooking(Body, frozen=True, kw_only=True):
    """``POST /api/v1/bookings``. Either ``end`` or ``for_s`` is given."""

    gpus: int
    pool: str | None = None
    """None: that of the queue, the only one there is, or ``default``."""
    user: str | None = None
    queue: str | None = None
    """For whoever submits into it, as ``queue`` or ``pool/queue``; with neither it is the caller's.
    """
    start: str | None = None
    """RFC 3339; None is now."""
    end: str | None = None
    for_s: float | None = None
    gpu_type: str | None = None
    """A part of the cards' model, or of a label of their node."""
    note: str | None = None


class PatchNode(Body, frozen=True, kw_only=True):
    """``PATCH /api/v1/nodes/{node}``."""

    draining: bool | None = None
    labels: dict[str, str | None] | None = None
    """A null value removes the label."""
    exclude_card: str | None = None
    include_card: str | None = None


class CleanCard(Body, frozen=True, kw_only=True):
    """``POST /api/v1/nodes/{node}/clean-card``."""

    card: str
    """An index or the beginning of a UUID."""


class CreateToken(Body, frozen=True, kw_only=True):
    """``POST /api/v1/tokens``."""

    role: Literal["viewer", "member", "admin", "agent"]
    user: str | None = None
    """Whose word it carries; None is the caller's. Agents have none."""
    expires_s: float | None | UnsetType = UNSET
    """None is never; left out it is a day for agents and 90 days for people."""
    uses: int | None | UnsetType = UNSET
    """How often it may be used; left out it is 20 times for agents, once for a certain node; a
    person's is not counted."""
    node: str | UnsetType = UNSET
    """Only this machine may join by it, and it may although it has joined before."""


class JoinNode(Body, frozen=True, kw_only=True):
    """``POST /agent/v1/join``."""

    node: str
    node_uid: str
    proof: str | UnsetType = UNSET
    """The credential that this agent had before: who has joined must show that it is the same."""
