"""What the agent asks of a driver: the truth about every card, now."""

from typing import Literal, Protocol

import msgspec

from eaas.ids import CardUuid


class CardProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process that holds a card's memory or runs on it."""

    pid: int
    """In the host's pid namespace."""
    memory_mib: int | None
    user: str | None = None
    command: str | None = None
    """The command line, cut at 200 characters; may hold anything, so pass it through ``safe_text``
    before a terminal.
    """
    container: str | None = None
    """The container's 64-hex id from /proc/<pid>/cgroup; None for a bare process."""
    started_ticks: int | None = None
    """Start time from /proc/<pid>/stat, to tell a reused pid."""


class CardReading(msgspec.Struct, frozen=True, kw_only=True):
    """One card at one moment. What the driver refused to say is None."""

    uuid: CardUuid
    index: int
    minor: int | None
    model: str
    memory_total_mib: int | None
    memory_used_mib: int | None
    utilization_pct: int | None
    temperature_c: int | None
    power_w: float | None
    processes: tuple[CardProcess, ...] | None
    """None when the driver would not list them: then the card is not known to be free."""
    fault: str | None = None
    """A sentence when the card is sick (lost, needs a reset, an Xid)."""
    lost: bool = False
    """True when the card itself no longer answers: whatever ran on it will not finish by itself."""
    notes: tuple[str, ...] = ()
    simulated: bool = False
    memory_reserved_mib: int | None = None
    """What the driver keeps for itself beside what counts as used; None where it is counted there
    or not told.
    """


class CardLink(msgspec.Struct, frozen=True, kw_only=True):
    """How close two cards of this node are."""

    a: CardUuid
    b: CardUuid
    kind: Literal["nvlink", "board", "bridge", "host", "node", "system", "unknown"]
    """Best to worst: NVLink; same board; one PCIe switch; same host bridge; same NUMA node; across
    sockets.
    """


class CardsPicture(msgspec.Struct, frozen=True, kw_only=True):
    """All cards of this node at one moment."""

    state: Literal["ok", "none", "unknown"]
    """``none``: no driver or no card on this machine; ``unknown``: the driver does not answer, so
    nothing may be offered.
    """
    text: str | None = None
    """Why it is ``none`` or ``unknown``, in a sentence."""
    driver: str | None = None
    """The driver's version."""
    cards: tuple[CardReading, ...] = ()
    """By index; a card that got lost stays listed under its remembered UUID with a fault."""
    links: tuple[CardLink, ...] = ()
    sampled_at: float
    """Unix seconds."""


class Cards(Protocol):
    """One source of readings."""

    async def start(self) -> CardsPicture:
        """Begin reading; return the first picture, within 10 s whatever the driver does."""

    def picture(self) -> CardsPicture:
        """Return the newest picture; ``unknown`` once it is older than three sampling periods."""

    async def changed(self) -> CardsPicture:
        """Wait for the next sample and return it."""

    async def close(self) -> None:
        """Stop reading and end the child, if there is one."""
