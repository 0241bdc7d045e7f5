"""What this node knows of an attempt, and everything that can happen to it. Pure values."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from eaas.ids import JobUid
from eaas.wire.from_agent import Held, Unlisted
from eaas.wire.to_agent import Order, Stop, Wanted
from eaas_agent.runtimes.port import AttemptKey, Exit, Found, Started

LocalState = Literal["accepted", "running", "stopping", "ended"]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt as it stands in the ledger."""

    order: Order
    state: LocalState
    boot_id: str
    """Of the machine's boot in which it was accepted or last seen alive."""
    handle: str | None = None
    started_at: float | None = None
    """Unix seconds by this host's clock."""
    started_up_s: float | None = None
    """The same in seconds since the machine's boot, which nobody can set."""
    stop: Stop | None = None
    """The stop that is under way or done; an order's own ``stop`` is only the wish."""
    stop_at: float | None = None
    """When that stop began, so that a restart of the agent does not grant the grace twice."""
    end_seq: int | None = None
    """The place in the spool of the fact that told its end."""
    logged: bool = False
    """The controller has the whole log."""

    @property
    def key(self) -> AttemptKey:
        """Return what names it."""
        return AttemptKey(JobUid(self.order.uid), self.order.attempt)

    @property
    def live(self) -> bool:
        """Tell whether something of it may be running or may yet start."""
        return self.state != "ended"

    def held(self) -> Held:
        """Return it the way the greeting lists it."""
        return Held(
            uid=self.order.uid,
            number=self.order.number,
            attempt=self.order.attempt,
            epoch=self.order.epoch,
            state=self.state,
            started_at=self.started_at,
        )

    def unlisted(self) -> Unlisted:
        """Return it as it is told to a controller that does not know it."""
        assert self.state != "ended", "what ended is told as a fact"
        return Unlisted(
            order=replace(self.order, stop=self.stop),
            state=self.state,
            started_at=self.started_at,
            handle=self.handle,
        )


class Roster:
    """The attempts of this node by key and by job; holds at most one entry a key."""

    def __init__(self) -> None:
        self._attempts: Final[dict[AttemptKey, Attempt]] = {}
        self._of_job: Final[dict[str, set[AttemptKey]]] = {}

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self._attempts.values())

    def __len__(self) -> int:
        return len(self._attempts)

    def get(self, key: AttemptKey) -> Attempt | None:
        """Return the attempt, or None when it is not held."""
        return self._attempts.get(key)

    def of_job(self, uid: str) -> list[Attempt]:
        """Return the held attempts of a job, oldest first."""
        return [self._attempts[key] for key in sorted(self._of_job.get(uid, ()))]

    def put(self, attempt: Attempt) -> None:
        """Hold the attempt as it stands now."""
        key = attempt.key
        self._attempts[key] = attempt
        self._of_job.setdefault(key.uid, set()).add(key)

    def drop(self, key: AttemptKey) -> None:
        """Let go of the attempt; nothing happens when it is not held."""
        if self._attempts.pop(key, None) is not None:
            keys = self._of_job[key.uid]
            keys.discard(key)
            if not keys:
                del self._of_job[key.uid]


# --- events: what the engine is told


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that ``step`` takes."""


class WantedCame(Event, frozen=True, kw_only=True):
    """The controller said what should run here."""

    wanted: Wanted
    epoch: int
    """Of the controller at the other end of this connection."""
    life: str = ""


class Welcomed(Event, frozen=True, kw_only=True):
    """A controller that is to be obeyed greeted us: who it is, and how far it has our facts."""

    epoch: int
    life: str = ""
    life_seq: int = 0
    acked_seq: int


class Surveyed(Event, frozen=True, kw_only=True):
    """The runtime listed what it knows; until then nothing may be started or answered lost."""

    found: tuple[Found, ...]


class Began(Event, frozen=True, kw_only=True):
    key: AttemptKey
    started: Started


class DidNotStart(Event, frozen=True, kw_only=True):
    """The start failed and left nothing behind."""

    key: AttemptKey
    code: str
    text: str
    fault: Literal["user", "node"]
    exit_code: int | None = None


class NeverStarted(Event, frozen=True, kw_only=True):
    """The start was called off in time."""

    key: AttemptKey


class Exited(Event, frozen=True, kw_only=True):
    key: AttemptKey
    exit: Exit
    log_bytes: tuple[int, int] | None = None
    """The final length of stdout and stderr, where the log was read to its end already."""


class TimeUp(Event, frozen=True, kw_only=True):
    """The attempt has run as long as its order allows."""

    key: AttemptKey


class Acked(Event, frozen=True, kw_only=True):
    """The controller has committed every fact up to here."""

    seq: int


class LogAcked(Event, frozen=True, kw_only=True):
    """The controller has every byte of the attempt's log and knows that there are no more."""

    key: AttemptKey


class Removed(Event, frozen=True, kw_only=True):
    """The runtime has forgotten the attempt."""

    key: AttemptKey


class WorkspaceDeleted(Event, frozen=True, kw_only=True):
    uid: str
    why: Literal["expired", "disk_pressure"]


Seen = Mapping[str, int]
"""The highest attempt ever held here, by job; a job that was never here is not listed."""
