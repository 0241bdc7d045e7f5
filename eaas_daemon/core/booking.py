"""A booking: cards of a pool that are somebody's from one moment to another."""

from typing import Literal

from eaas.ids import CardUuid, NodeName, PoolName, QueueName, UserName, queue_ref
from eaas_daemon.core.model import Value

BookingPhase = Literal["ahead", "running", "over"]


class BookedCard(Value, frozen=True, kw_only=True):
    """A card that was picked for a booking."""

    node: NodeName
    uuid: CardUuid
    index: int


class Booking(Value, frozen=True, kw_only=True):
    """Whole cards for one user, or for whoever submits into one queue. Times are Unix seconds."""

    id: int
    pool: PoolName
    gpus: int
    start: float
    end: float
    user: UserName | None = None
    queue: QueueName | None = None
    """Whose it is where it is no user's; one of the two is set."""
    gpu_type: str | None = None
    """Lower case, as a job's."""
    note: str | None = None
    created_by: UserName
    created_at: float
    cards: tuple[BookedCard, ...] = ()
    """Those picked, by node and index; fewer than ``gpus`` where the pool has no more."""
    told: BookingPhase = "ahead"
    """What the journal said last; what holds is ``phase``, by the clock alone."""

    @property
    def whose(self) -> str:
        """Return in words for whom it is."""
        if self.user is not None:
            return self.user
        return f"queue {queue_ref(self.pool, self.queue or '')}"

    def phase(self, now: float) -> BookingPhase:
        """Return whether it is ahead, running or over; a clock that is set back turns it back."""
        if now >= self.end:
            return "over"
        return "running" if now >= self.start else "ahead"

    def overlaps(self, other: "Booking") -> bool:
        """Tell whether there is a moment at which both run."""
        return self.start < other.end and other.start < self.end

    def is_for(self, ref: str, user: str) -> bool:
        """Tell whether a job of that queue (``pool/queue``) and user is one of its people's."""
        if self.user is not None:
            return self.user == user and ref.partition("/")[0] == self.pool
        return queue_ref(self.pool, self.queue or "") == ref
