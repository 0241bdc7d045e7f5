"""What the kernel says of this machine."""

import os
from pathlib import Path

import msgspec


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What stays the same until the next boot."""

    boot_id: str
    booted_at: float
    """Unix seconds; the kernel's own word, in whole seconds."""
    cpus: float
    memory_mib: int


def read_machine(proc: Path = Path("/proc")) -> Machine:
    """Return this machine's boot and size; CPUs are those this process may use."""
    return Machine(
        boot_id=(proc / "sys/kernel/random/boot_id").read_text().strip(),
        booted_at=_boot_time(proc),
        cpus=float(len(os.sched_getaffinity(0))),
        memory_mib=_meminfo_mib(proc, "MemTotal") or 0,
    )


def memory_used_mib(proc: Path = Path("/proc")) -> int | None:
    """Return the memory that is not available to new programs."""
    total, available = _meminfo_mib(proc, "MemTotal"), _meminfo_mib(proc, "MemAvailable")
    return None if total is None or available is None else total - available


def session_of(pid: int) -> int | None:
    """Return the session a process belongs to; None when it is gone."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _boot_time(proc: Path) -> float:
    for line in (proc / "stat").read_text().splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0


def _meminfo_mib(proc: Path, name: str) -> int | None:
    for line in (proc / "meminfo").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) >> 10
    return None
