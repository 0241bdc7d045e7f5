"""What the stream, ``/api/v1/stream``, says to consoles and scripts: JSON text frames.

Who asks for it with ``pieces=1`` gets a long snapshot in several frames and the readings of
several nodes in one; everybody else hears neither ``snapshot_jobs`` nor ``many_readings``.
"""

import msgspec

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


class Readings(ToClient, frozen=True, kw_only=True, tag="readings"):
    """Fresh numbers of cards and nodes; they have no sequence number and only the newest count."""

    at: str
    node: str
    cpus_used: float
    memory_used_mib: int | None
    cards: tuple[CardView, ...]


class ManyReadings(ToClient, frozen=True, kw_only=True, tag="many_readings"):
    """The readings of several nodes that came within a second."""

    readings: tuple[Readings, ...]


AnyToClient = Snapshot | SnapshotJobs | Changes | Readings | ManyReadings
