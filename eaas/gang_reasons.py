"""Why a job on several nodes waits, or one of its ranks ended: reasons that no other job has."""

from typing import ClassVar

from eaas.reasons import NodeReason, Reason


class RanksLeft(Reason, frozen=True, kw_only=True, tag="ranks_left"):
    """Ranks of the job's last attempt have not ended yet; all are placed together."""

    ranks: tuple[str, ...]
    """Each with its node and state, in words."""


class TooFewNodes(Reason, frozen=True, kw_only=True, tag="too_few_nodes"):
    """Not as many nodes at once could take the job now as it asks for."""

    asked: int
    available: int


class PoolTooSmall(Reason, frozen=True, kw_only=True, tag="pool_too_small"):
    """Not as many nodes of the pool as the job asks for could ever take it."""

    never: ClassVar[bool] = True
    pool: str
    asked: int
    available: int


class NoRanks(NodeReason, frozen=True, kw_only=True, tag="no_ranks"):
    """The node takes no part in jobs on several nodes."""

    never: ClassVar[bool] = True
    text: str


class RankEnded(Reason, frozen=True, kw_only=True, tag="rank_ended"):
    """It was stopped, or not run again, because of what became of another rank of its job."""

    rank: int
    text: str
