"""What the stream, ``/api/v1/stream``, says to consoles and scripts: JSON text frames."""

import msgspec

from eaas.views import CardView, EventView, JobView, NodeView, PoolView, QueueView


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


AnyToClient = Snapshot | Changes | Readings
