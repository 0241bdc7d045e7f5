"""What NVIDIA's driver can answer, as values: refusals, their meaning, a card's raw numbers."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

MIB: Final = 1024 * 1024


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """The driver's "no": its code and its own words."""

    code: int
    text: str


Meaning = Literal["no_driver", "mismatch", "uninitialized", "lost", "never", "empty", "again"]

_MEANINGS: Final[Mapping[int, Meaning]] = {
    1: "uninitialized",
    3: "never",  # NOT_SUPPORTED
    4: "never",  # NO_PERMISSION
    6: "empty",  # NOT_FOUND
    9: "no_driver",  # DRIVER_NOT_LOADED
    10: "empty",  # TIMEOUT
    12: "no_driver",  # LIBRARY_NOT_FOUND
    13: "never",  # FUNCTION_NOT_FOUND
    15: "lost",  # GPU_IS_LOST
    16: "lost",  # RESET_REQUIRED
    18: "mismatch",  # LIB_RM_VERSION_MISMATCH
    21: "empty",  # NO_DATA
    25: "never",  # ARGUMENT_VERSION_MISMATCH
    26: "never",  # DEPRECATED
    999: "lost",  # UNKNOWN: what newer drivers say of a lost card
}


def meaning(refused: Refused) -> Meaning:
    """Return what a refusal asks for; ``again`` for everything that may pass."""
    return _MEANINGS.get(refused.code, "again")


class RawProcess(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the driver's list; ``memory_bytes`` is None where it says "not available"."""

    pid: int
    memory_bytes: int | None


class RawMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A card's memory in bytes."""

    total: int
    used: int
    reserved: int | None = None
    """What the driver keeps for itself; None where it counts as used."""


class RawCard(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the driver answered about the card at one index, nothing interpreted."""

    index: int
    uuid: str | Refused
    lost: Refused | None = None
    """Set when the card itself failed; then the other answers are worth nothing."""
    model: str | Refused
    minor: int | Refused
    memory: RawMemory | Refused
    utilization_pct: int | Refused
    temperature_c: int | Refused
    power_mw: int | Refused
    processes: tuple[RawProcess, ...] | Refused
    mig_on: bool | Refused
    remap_pending: bool | Refused
    remap_failed: bool | Refused


def is_misread(processes: Sequence[RawProcess]) -> bool:
    """Tell whether this is the wide list of drivers 535.43 to 535.98, read as a narrow one."""
    return any(process.pid in (0, 0xFFFFFFFF) for process in processes)


LinkKind = Literal["nvlink", "board", "bridge", "host", "node", "system", "unknown"]

_LEVELS: Final[Mapping[int, LinkKind]] = {
    0: "board",
    10: "bridge",
    20: "bridge",  # several PCIe switches, still without the CPU's own bridge
    30: "host",
    40: "node",
    50: "system",
}


def link_kind(*, level: int | Refused, nvlink: bool) -> LinkKind:
    """Return how close two cards are, from NVML's topology level and NVLink's peer status."""
    if nvlink:
        return "nvlink"
    return "unknown" if isinstance(level, Refused) else _LEVELS.get(level, "unknown")


def union_by_pid(lists: Sequence[Sequence[RawProcess]]) -> tuple[RawProcess, ...]:
    """Return every process of the lists once, with the largest memory that any of them says."""
    merged: dict[int, int | None] = {}
    for process in (process for each in lists for process in each):
        known = merged.get(process.pid)
        sizes = [size for size in (known, process.memory_bytes) if size is not None]
        merged[process.pid] = max(sizes, default=None)
    return tuple(RawProcess(pid=pid, memory_bytes=size) for pid, size in sorted(merged.items()))
