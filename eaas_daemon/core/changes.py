"""What one step has changed: the store writes it in one transaction, the stream shows it."""

from typing import Any

import msgspec

from eaas.ids import JobUid, NodeName, PoolName
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.model import Job, Node, Pool, Queue, Value


class JournalRow(Value, frozen=True, kw_only=True):
    """One line of history, in words, with the facts beside them."""

    seq: int
    at: float
    kind: str
    """``job.placed``, ``node.offline``, ``queue.paused`` ...: stable."""
    text: str
    job: int | None = None
    node: str | None = None
    user: str | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class ClaimRow(Value, frozen=True, kw_only=True):
    """A card that changes hands."""

    job: JobUid
    attempt: int
    node: NodeName
    card: str
    memory_mib: int | None = None
    """The share of it; None is the whole card."""
    of_mib: int | None = None
    """With a share: what all shares of the card may come to."""


def claims_of(job: Job) -> list[ClaimRow]:
    """Return the cards of the job's newest attempt."""
    attempt = job.attempts[-1]
    return [
        ClaimRow(
            job=job.uid,
            attempt=attempt.number,
            node=attempt.node,
            card=card.uuid,
            memory_mib=card.memory_mib,
            of_mib=card.of_mib,
        )
        for card in attempt.cards
    ]


class KeyRow(Value, frozen=True, kw_only=True):
    """An idempotency key and what it stands for."""

    user: str
    key: str
    body_hash: bytes
    jobs: tuple[int, ...]
    """The numbers that were given out, in order."""
    at: float


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one step did. Each thing appears once, in its last state."""

    seq: int
    next_number: int
    jobs: tuple[Job, ...] = ()
    nodes: tuple[Node, ...] = ()
    pools: tuple[Pool, ...] = ()
    queues: tuple[Queue, ...] = ()
    credentials: tuple[Credential, ...] = ()
    gone_credentials: tuple[str, ...] = ()
    gone_nodes: tuple[NodeName, ...] = ()
    gone_pools: tuple[PoolName, ...] = ()
    gone_queues: tuple[str, ...] = ()
    claimed: tuple[ClaimRow, ...] = ()
    released: tuple[ClaimRow, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    spools: tuple[tuple[str, int, int], ...] = ()
    """(spool_id, first new seq, last new seq) whose facts are in this step."""
    journal: tuple[JournalRow, ...] = ()
    clock_back_to: float | None = None
    """The clock was ahead of this moment, and nothing that is stored has happened later."""
    bookings: tuple[Booking, ...] = ()
    gone_bookings: tuple[int, ...] = ()

    @property
    def empty(self) -> bool:
        """Tell whether there is nothing to write."""
        return not (
            self.jobs
            or self.nodes
            or self.pools
            or self.queues
            or self.credentials
            or self.gone_credentials
            or self.journal
            or self.gone_nodes
            or self.gone_pools
            or self.gone_queues
            or self.keys
            or self.spools
            or self.clock_back_to is not None
            or self.bookings
            or self.gone_bookings
        )
