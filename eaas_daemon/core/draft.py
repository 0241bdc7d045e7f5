"""What one step has changed so far, until it is stored and settled."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from eaas.ids import JobUid, NodeName, PoolName
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.changes import Changes, ClaimRow, JournalRow, KeyRow
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.model import Job, Node, Pool, Queue

K = TypeVar("K")
V = TypeVar("V")


class Tables(Protocol):
    """Where the things themselves are, each in its last state."""

    seq: int
    next_number: int
    jobs: dict[JobUid, Job]
    nodes: dict[NodeName, Node]
    pools: dict[PoolName, Pool]
    queues: dict[str, Queue]
    credentials: dict[str, Credential]
    bookings: dict[int, Booking]


class Draft:
    """Names of what was changed, and rows of what happened. The names keep their order."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self.jobs: dict[JobUid, None] = {}
        self.nodes: dict[NodeName, None] = {}
        self.read_nodes: dict[NodeName, None] = {}
        """Nodes with fresh readings in this step."""
        self.touched: set[JobUid] = set()
        """Jobs with passing news in this step."""
        self.pools: dict[PoolName, None] = {}
        self.queues: dict[str, None] = {}
        self.credentials: dict[str, None] = {}
        self.gone_credentials: dict[str, None] = {}
        self.gone_nodes: dict[NodeName, None] = {}
        self.gone_pools: dict[PoolName, None] = {}
        self.gone_queues: dict[str, None] = {}
        self.bookings: dict[int, None] = {}
        self.gone_bookings: dict[int, None] = {}
        self.claimed: list[ClaimRow] = []
        self.released: list[ClaimRow] = []
        self.keys: list[KeyRow] = []
        self.spools: list[tuple[str, int, int]] = []
        self.journal: list[JournalRow] = []
        self.counted: dict[str, int] = {}
        """Kinds of lines that are only counted: one line tells of all when a deed is over."""
        self.clock_back_to: list[float] = []

    def counts(self, kind: str) -> bool:
        """Tell whether lines of this kind are only counted, and count one if so."""
        if kind not in self.counted:
            return False
        self.counted[kind] += 1
        return True

    def changes(self, now: Tables) -> Changes:
        """Return what was changed, each thing as it is in ``now``."""
        return Changes(
            seq=now.seq,
            next_number=now.next_number,
            jobs=_present(self.jobs, now.jobs),
            nodes=_present(self.nodes, now.nodes),
            pools=_present(self.pools, now.pools),
            queues=_present(self.queues, now.queues),
            credentials=_present(self.credentials, now.credentials),
            gone_credentials=_absent(self.gone_credentials, now.credentials),
            gone_nodes=_absent(self.gone_nodes, now.nodes),
            gone_pools=_absent(self.gone_pools, now.pools),
            gone_queues=_absent(self.gone_queues, now.queues),
            claimed=tuple(self.claimed),
            released=tuple(self.released),
            keys=tuple(self.keys),
            spools=tuple(self.spools),
            journal=tuple(self.journal),
            clock_back_to=self.clock_back_to[-1] if self.clock_back_to else None,
            bookings=_present(self.bookings, now.bookings),
            gone_bookings=_absent(self.gone_bookings, now.bookings),
        )


def _present(keys: Mapping[K, None], table: Mapping[K, V]) -> tuple[V, ...]:
    return tuple(table[key] for key in keys if key in table)


def _absent(keys: Mapping[K, None], table: Mapping[K, Any]) -> tuple[K, ...]:
    return tuple(key for key in keys if key not in table)
