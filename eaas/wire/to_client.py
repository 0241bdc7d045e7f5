"""What the stream, ``/api/v1/stream``, says to consoles and scripts: JSON text frames.

Who asks for it with ``pieces=1`` gets a long snapshot in several frames and the readings of
several nodes in one; everybody else hears neither ``snapshot_jobs`` nor ``many_readings``. With
``pieces=2`` the numbers of cards come without what stands beside them, as long as that is the same.
"""

import msgspec

from eaas.booking_views import BookingView
from eaas.node_views import CardView, NodeView
from eaas.views import EventView, JobView, PoolView, QueueView


class ToClient(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Any frame of the stream."""


class Snapshot(ToClient, frozen=True, kw_only=True, tag="snapshot"):
    """Everything that has not ended, at one sequence number. The first frame, unless ``after``
    could be resumed.
    """

    seq: int
    epoch: int
    at: str
    pools: tuple[PoolView, ...]
    queues: tuple[QueueView, ...]
    nodes: tuple[NodeView, ...]
    jobs: tuple[JobView, ...]
    whole: bool = True
    """False where more jobs follow in ``SnapshotJobs``, with changes in between."""
    bookings: tuple[BookingView, ...] = ()


class SnapshotJobs(ToClient, frozen=True, kw_only=True, tag="snapshot_jobs"):
    """More jobs of the snapshot before, each as it is by now: the newest word on it."""

    jobs: tuple[JobView, ...]
    last: bool
    """With this one the snapshot is whole."""


class Changes(ToClient, frozen=True, kw_only=True, tag="changes"):
    """What is different at ``seq``: whole views of what changed, and what is gone."""

    after: int
    """The sequence number this follows; a client at another one asks for a snapshot."""
    seq: int
    at: str
    pools: tuple[PoolView, ...] = ()
    queues: tuple[QueueView, ...] = ()
    nodes: tuple[NodeView, ...] = ()
    jobs: tuple[JobView, ...] = ()
    """Ended jobs come once more here, in their last state; then a client may drop them."""
    gone_pools: tuple[str, ...] = ()
    gone_queues: tuple[str, ...] = ()
    """As ``pool/queue``."""
    gone_nodes: tuple[str, ...] = ()
    events: tuple[EventView, ...] = ()
    bookings: tuple[BookingView, ...] = ()
    gone_bookings: tuple[int, ...] = ()


class Readings(ToClient, frozen=True, kw_only=True, tag="readings"):
    """Fresh numbers of cards and nodes; they have no sequence number and only the newest count."""

    at: str
    node: str
    cpus_used: float
    memory_used_mib: int | None
    cards: tuple[CardView, ...]


class CardNumbers(msgspec.Struct, frozen=True, array_like=True):
    """What was measured on one card; a list, because it comes so often."""

    memory_used_mib: int | None
    utilization_pct: int | None
    temperature_c: int | None
    power_w: float | None


class NodeNumbers(msgspec.Struct, frozen=True, array_like=True):
    """Fresh numbers of a node of which nothing else has changed since it was told whole."""

    node: str
    sampled_at: str | None
    """When all of its cards were read."""
    cpus_used: float
    memory_used_mib: int | None
    cards: tuple[CardNumbers, ...]
    """In the order in which the node's cards were told."""


class ManyReadings(ToClient, frozen=True, kw_only=True, tag="many_readings"):
    """The readings of several nodes that came within a second."""

    readings: tuple[Readings, ...]
    numbers: tuple[NodeNumbers, ...] = ()
    """Only with ``pieces=2``: the nodes that are not among the readings."""


AnyToClient = Snapshot | SnapshotJobs | Changes | Readings | ManyReadings
