"""What one turn of the engine writes to the ledger."""

from typing import Final

import msgspec

from eaas.wire.from_agent import Spooled
from eaas_agent.model import Attempt
from eaas_agent.runtimes.port import AttemptKey

KEPT_FACTS: Final = 4096
"""Acknowledged facts that stay, for a controller that comes back out of a backup."""


class Touched(msgspec.Struct, frozen=True):
    """A job of which an attempt was accepted, or answered without one."""

    uid: str
    attempt: int
    keep_s: float
    at: float


class Changes:
    """What one commit writes."""

    def __init__(self) -> None:
        self.attempts: Final[dict[AttemptKey, Attempt | None]] = {}
        """None where the attempt is forgotten."""
        self.facts: Final[list[Spooled]] = []
        self.touched: Final[list[Touched]] = []
        self.ended_jobs: Final[list[tuple[float, str]]] = []
        self.keep_until: Final[list[tuple[float, str]]] = []
        self.gone_workspaces: Final[list[str]] = []
        self.meta: Final[dict[str, str]] = {}
        self.prune_facts_to: int | None = None

    def __bool__(self) -> bool:
        return bool(
            self.attempts
            or self.facts
            or self.touched
            or self.ended_jobs
            or self.keep_until
            or self.gone_workspaces
            or self.meta
            or self.prune_facts_to is not None
        )
