"""What a node and its cards look like over REST and in the stream."""

from typing import Final, Literal

from eaas.booking_views import CardBookingView
from eaas.views import ConditionView, ReasonView, View

CARD_SETTLING: Final = "card_settling"
"""The reason's code of a dirty card that its job left a moment ago: nothing is wrong with it."""


class ImageView(View, frozen=True, kw_only=True):
    name: str
    digest: str | None
    size_mib: int


class MountView(View, frozen=True, kw_only=True):
    name: str
    read_only: bool
    available: bool
    reason: str | None
    """Why no job can have it now; null while it is available."""
    users: tuple[str, ...]
    """Whose jobs may have it; empty is everyone's."""
    queues: tuple[str, ...]
    """Jobs of which queues may have it, as ``queue`` or ``pool/queue``; empty is all."""
    per_user: bool
    """Each job sees only the folder of its own user."""


class CardClaimView(View, frozen=True, kw_only=True):
    job: int
    attempt: int
    user: str
    memory_mib: int | None
    ref: str | None = None
    """What people call the job: ``42``, ``42[7]``; None from a controller that does not say."""

    @property
    def shown(self) -> str:
        """Return what people call the job, by its number where nothing else is known."""
        return self.ref or str(self.job)


class CardProcessView(View, frozen=True, kw_only=True):
    pid: int
    user: str | None
    command: str | None
    memory_mib: int | None
    container: str | None
    job: int | None


class CardView(View, frozen=True, kw_only=True):
    uuid: str
    index: int
    node: str
    model: str
    state: str
    simulated: bool
    offered: bool
    """Whether a job could be given this card now."""
    reason: ReasonView | None
    memory_total_mib: int | None
    memory_used_mib: int | None
    memory_claimed_mib: int
    utilization_pct: int | None
    temperature_c: int | None
    power_w: float | None
    claims: tuple[CardClaimView, ...]
    processes: tuple[CardProcessView, ...]
    sampled_at: str | None
    bookings: tuple[CardBookingView, ...] = ()
    """Those that are not over, the first one first."""


class CardLinksView(View, frozen=True, kw_only=True):
    """The pairs of a node's cards that are joined in one way."""

    kind: str
    """nvlink, board, bridge (one PCIe switch), host (one CPU), node, system (across sockets) or
    unknown: from the closest to the farthest."""
    pairs: tuple[tuple[int, int], ...]
    """By index."""


class LinkEndView(View, frozen=True, kw_only=True):
    """How a node's connection ended, in plain words."""

    at: str
    why: str
    by: Literal["agent", "controller", "nobody"]
    """``agent``: it said goodbye; ``nobody``: the connection broke."""
    address: str | None
    """Where the node was."""


class NodeView(View, frozen=True, kw_only=True):
    name: str
    uid: str
    state: str
    conditions: tuple[ConditionView, ...]
    address: str | None
    version: str | None
    runtime: str | None
    engine: str | None
    pools: tuple[str, ...]
    labels: dict[str, str]
    cpus: float | None
    cpus_used: float
    memory_mib: int | None
    memory_used_mib: int | None
    boot_id: str | None
    last_seen_at: str | None
    last_end: LinkEndView | None = None
    """How the last connection ended; there may be another since."""
    cards: tuple[CardView, ...]
    jobs: tuple[int, ...]
    images: tuple[ImageView, ...]
    mounts: tuple[MountView, ...] = ()
    job_refs: tuple[str, ...] = ()
    """What people call its jobs, in the order of ``jobs``: ``42``, ``42[7]``."""
    links: tuple[CardLinksView, ...] = ()
    """How close its cards are to each other, the closest first; empty where its agent does not
    tell."""

    @property
    def shown_jobs(self) -> tuple[str, ...]:
        """Return what people call its jobs, by their numbers where nothing else is known."""
        return self.job_refs or tuple(map(str, self.jobs))
