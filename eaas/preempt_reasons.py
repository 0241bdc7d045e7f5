"""Why a job makes room for another, and what that one waits for meanwhile."""

from eaas.reasons import Reason


class MakingRoom(Reason, frozen=True, kw_only=True, tag="making_room"):
    """Jobs of less urgent queues are being stopped so that this one can start."""

    node: str
    jobs: tuple[int, ...]
    """Those that have not ended yet; empty while their cards are only not clean yet."""
    called: tuple[str, ...]
    """What people call them, in the same order: ``42`` or ``42[7]``."""
    users: tuple[str, ...]
    """Whose they are, in the same order."""
    in_s: float
    """When that is done, at the latest, if nothing goes wrong."""


class Preempted(Reason, frozen=True, kw_only=True, tag="preempted"):
    """The attempt was stopped for a job of a more urgent queue; the job goes on later."""

    job: int | None
    """None where only the node knows that it was so."""
    called: str
    """What people call that job: ``42`` or ``42[7]``."""
    queue: str
    user: str
