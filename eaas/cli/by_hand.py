"""Programs of an installation that ``up`` did not start: by hand in a terminal, or by a service."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from eaas.cli.processes import programs, running
from eaas.paths import Paths

MODULES: Final = {
    "controller": (b"eaas_daemon", b"eaas-daemon"),
    "agent": (b"eaas_agent", b"eaas-agent"),
}
UNITS: Final = "mini-eaas"
"""How the names of our units begin."""


class ByHand(msgspec.Struct, frozen=True, kw_only=True):
    """A program that runs for the installation and is not ``down``'s to stop."""

    program: str
    """``controller`` or ``agent-NAME``."""
    pid: int
    stop: str | None
    """What to type so that its service manager ends it; None where a signal does."""


def by_hand(paths: Paths) -> list[ByHand]:
    """Return the programs that work in this home and were not started by ``up``."""
    ours = {running(paths, program) for program in programs(paths)}
    found = [("controller", pid) for pid in _holder(paths.home / "controller.lock", "controller")]
    for lock in sorted(paths.home.glob("agents/*/lock")):
        found += [(f"agent-{lock.parent.name}", pid) for pid in _holder(lock, "agent")]
    return [
        ByHand(program=program, pid=pid, stop=_service_stop(pid))
        for program, pid in found
        if pid not in ours
    ]


def what_runs(found: Sequence[ByHand]) -> str:
    """Return in a sentence which they are and how they are stopped."""
    named = ", ".join(f"{each.program} (process {each.pid})" for each in found)
    verb, it = ("runs", "it") if len(found) == 1 else ("run", "them")
    how = ", ".join(_how_to_stop(found))
    return (
        f"{named} {verb} here and {'was' if it == 'it' else 'were'} not started by mini-eaas up, "
        f"so down leaves {it} alone. To end {it}: {how}; jobs run on"
    )


def _holder(lock: Path, kind: str) -> Iterator[int]:
    """Yield the process that wrote itself into the lock, if it is alive and such a program."""
    try:
        pid = int(lock.read_text())
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return
    if any(word in words for word in MODULES[kind]):
        yield pid


def _how_to_stop(found: Sequence[ByHand]) -> Iterator[str]:
    yield from dict.fromkeys(each.stop for each in found if each.stop is not None)
    pids = [str(each.pid) for each in found if each.stop is None]
    if pids:
        yield f"Ctrl-C in {'its' if len(pids) == 1 else 'their'} terminal, or kill {' '.join(pids)}"


def _service_stop(pid: int) -> str | None:
    """Return what stops the service that the process is, if it is one.

    A service manager would start again what is only killed.
    """
    try:
        group = Path(f"/proc/{pid}/cgroup").read_text().strip().rpartition(":")[2]
    except OSError:
        return None
    unit = os.path.basename(group)
    if not (unit.startswith(UNITS) and unit.endswith(".service")):
        return None
    whose = "systemctl --user" if "/user@" in group else "systemctl"
    return f"{whose} stop {unit.removesuffix('.service')}"
