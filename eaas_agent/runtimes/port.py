"""What the agent asks of a runtime: start an attempt, wait for it, stop it, read its log."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Protocol

import msgspec

from eaas.errors import EaasError
from eaas.ids import CardUuid, JobNumber, JobUid

Stream = Literal["stdout", "stderr"]


class AttemptKey(msgspec.Struct, frozen=True, order=True):
    """Which attempt: the job's uid and the attempt's number."""

    uid: JobUid
    attempt: int


class CardSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A card that the attempt may use."""

    uuid: CardUuid
    minor: int | None = None
    """N of /dev/nvidiaN; None for simulated cards or when the driver did not say."""
    simulated: bool = False


class Bind(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of this host that the job sees. Looked at a moment ago: nobody can swap it."""

    source: Path
    target: str
    """Where the job sees it."""
    read_only: bool


class RunOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a runtime needs to run one attempt. Already checked; nothing in it is a host path
    but ``workspace`` and the sources of ``mounts``.
    """

    key: AttemptKey
    number: JobNumber
    epoch: int
    image: str | None
    image_digest: str | None = None
    """Pinned by an earlier attempt; run exactly this when given."""
    command: tuple[str, ...] | str | None
    """A string goes through /bin/sh -c, a tuple is exec'd, None is the image's own command."""
    env: dict[str, str]
    """The job's own variables plus the EAAS_* ones; the runtime adds what concerns cards."""
    cards: tuple[CardSlot, ...] = ()
    cpus: float | None = None
    """A limit in CPUs; None is no limit."""
    memory_mib: int | None = None
    shm_mib: int | None = None
    workspace: Path
    """The job's folder on this host; ``/workspace`` inside a container. Exists when ``start`` is
    called.
    """
    workdir: str | None = None
    run_as: str | None = None
    """``uid`` or ``uid:gid``."""
    groups: tuple[int, ...] = ()
    """Further groups of the user that it runs as."""
    mounts: tuple[Bind, ...] = ()
    """Only containers can have any: a runtime that can't give them refuses the order."""
    user: str | None = None
    """Who submitted the job; None when there is nobody to tell apart."""
    log_cap_mib: int = 2048
    on_host_network: bool = False
    """A container uses the host's network as it is: its ranks on other nodes must reach it."""


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt is doing before it runs."""

    name: Literal["pulling", "creating", "starting"]
    done_bytes: int | None = None
    total_bytes: int | None = None


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """The attempt runs (or ran already, when adopted)."""

    handle: str
    """The runtime's own name of it: a container id, or a process' id with its start time. Durable
    text.
    """
    started_at: float
    """Unix seconds by this host's clock."""
    image_digest: str | None = None
    warnings: tuple[str, ...] = ()


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """How the attempt ended, as evidence; the verdict is made elsewhere."""

    exit_code: int | None
    """As the kernel or engine reported it; None when nobody knows."""
    oom_killed: bool | None = None
    finished_at: float
    """Unix seconds by this host's clock."""
    ran_for_s: float | None = None
    lost: bool = False
    """True when the attempt vanished and no exit code can be known (removed from outside, engine
    restarted).
    """
    text: str | None = None
    """The engine's own words, where it had any."""


class LogBytes(msgspec.Struct, frozen=True):
    """A piece of one stream of an attempt's log."""

    stream: Stream
    offset: int
    """Where the piece begins, in bytes of that stream since the attempt's start."""
    data: bytes


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt of this agent that the runtime still knows, running or ended."""

    key: AttemptKey
    number: JobNumber
    epoch: int
    handle: str
    running: bool
    started_at: float | None


class CachedImage(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    digest: str | None
    size_mib: int


class RuntimeState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the runtime can run jobs now, and what it is."""

    kind: Literal["docker", "process"]
    engine: str | None
    """The engine and its version, ``Docker 28.5.2``; None for processes."""
    fault: str | None = None
    """A sentence when it cannot run jobs now."""
    notes: tuple[str, ...] = ()
    """Sentences a person should know (isolates nothing; live-restore is off)."""
    can_isolate_cards: bool = True
    no_host_network: str | None = None
    """Why no job here can have the host's network, in words; None: it can."""


class StartFailed(EaasError):
    """The attempt could not be started; nothing of it is left behind."""

    code: ClassVar[str] = "start_failed"

    def __init__(
        self,
        sentence: str,
        *,
        code: str,
        fault: Literal["user", "node"],
        exit_code: int | None = None,
    ) -> None:
        """``code``: image_missing, bad_command, name_conflict, engine_error, disk_full ...

        ``fault``: ``user`` ends the job as Failed; ``node`` lets it be tried elsewhere.
        """
        super().__init__(sentence)
        self.reason_code = code
        self.fault = fault
        self.exit_code = exit_code


Confirm = Callable[[], Awaitable[None]]
"""Raises ``StartFailed`` when an order can't be met any more."""


async def confirmed() -> None:
    """Confirm what nothing can have changed."""


class Runtime(Protocol):
    """One way to run attempts. Every method may be called again after a restart of the agent."""

    async def probe(self) -> RuntimeState:
        """Return whether jobs can run now; never raises for an engine that is away or hangs."""

    async def start(
        self, order: RunOrder, progress: Callable[[Phase], None], confirm: Confirm = confirmed
    ) -> Started:
        """Start the attempt, or adopt it when it exists already; raise ``StartFailed`` otherwise.

        ``confirm`` is called when all that may take long is done, and stops it by ``StartFailed``.
        Cancelling the call stops a pull and leaves nothing running.
        """

    async def wait(self, key: AttemptKey, handle: str) -> Exit:
        """Return how it ended, at once if it has; waits through restarts of the engine."""

    async def stop(self, key: AttemptKey, handle: str, grace_s: float) -> None:
        """Send TERM, wait the grace, then KILL; return once it ended or the kill was sent."""

    def log(
        self, key: AttemptKey, handle: str, *, stdout_from: int, stderr_from: int
    ) -> AsyncIterator[LogBytes]:
        """Yield the log from these byte offsets on, live, until the attempt has ended and every
        byte was read.
        """

    async def find(self) -> Sequence[Found]:
        """List this agent's attempts that the runtime knows, however they were started."""

    async def remove(self, key: AttemptKey, handle: str) -> None:
        """Forget an ended attempt and its log; nothing happens when it is gone already."""

    async def images(self) -> Sequence[CachedImage]:
        """List the images that are on this node; empty for processes."""

    async def close(self) -> None:
        """Release connections and watchers. Attempts run on."""
