"""Processes by their id: when they end, whether they are the same, what their group left."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class EndWatch:
    """Tells when processes end, children or not: one descriptor each, no thread, no polling."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._pidfds: set[int] = set()

    def add(self, pid: int, ended: Callable[[], object]) -> bool:
        """Call ``ended`` once when the process has ended; return False if there is none now.

        A process that ended and was not reaped yet still counts: ``ended`` is called soon.
        """
        try:
            pidfd = os.pidfd_open(pid)
        except ProcessLookupError:
            return False
        self._pidfds.add(pidfd)
        asyncio.get_running_loop().add_reader(pidfd, self._end, pidfd, ended)
        return True

    def close(self) -> None:
        """Stop watching; the processes run on."""
        for pidfd in list(self._pidfds):
            self._forget(pidfd)

    def _end(self, pidfd: int, ended: Callable[[], object]) -> None:
        self._forget(pidfd)
        ended()

    def _forget(self, pidfd: int) -> None:
        self._pidfds.discard(pidfd)
        asyncio.get_running_loop().remove_reader(pidfd)
        os.close(pidfd)


def boot_id() -> str:
    """Return what the kernel calls this boot; no two boots share it."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def has_argument(pid: int, argument: str) -> bool:
    """Tell whether the process lives and has this among its first arguments.

    A shim carries its attempt's folder, which no other process has: this recognizes it even when
    the process id was given to somebody else meanwhile. For an instant after its spawn it has no
    arguments yet; ask ``child_runs`` of a child.
    """
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            start = file.read(16384)
    except OSError:
        return False
    return b"\0" + os.fsencode(argument) + b"\0" in start


def has_any_argument(pid: int) -> bool:
    """Tell whether the process lives; one that ended and was not reaped does not."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def has_other_child(pid: int, argument: str) -> bool:
    """Tell whether the process has a child without the argument: it became another program.

    True, too, on a kernel that does not list children.
    """
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return True
    return any(not has_argument(int(child), argument) for child in children)


def has_process(argument: str) -> bool:
    """Tell whether any process has this among its first arguments; walks through /proc."""
    return any(has_argument(int(name), argument) for name in os.listdir("/proc") if name.isdigit())


def child_runs(pid: int) -> bool:
    """Tell whether this child of ours has not ended; leaves it to ``reap``."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def reap(pid: int) -> int | None:
    """Collect an ended child and return its wait status; None when it is no child or still runs."""
    try:
        reaped, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return status if reaped else None


def signal_group(group: int, *signals: signal.Signals) -> None:
    """Send the signals to every process of the group; one gone or not ours is left alone."""
    for number in signals:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def group_is_gone(group: int) -> bool:
    """Tell whether no process of the group can run any more; zombies cannot.

    Costs one system call when it is gone, and a walk through /proc when it isn't.
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return not any(fields[2] == str(group) and fields[0] not in "ZX" for _, fields in _processes())


def kill_session(session: int, *, variable: str) -> None:
    """Kill what lives on of a session whose leader is gone, if it has ``variable``, NAME=value.

    The variable proves that the number was not given to somebody else's session meanwhile.
    """
    mark = b"\0" + os.fsencode(variable) + b"\0"
    for pid, fields in _processes():
        if fields[3] != str(session):
            continue
        with suppress(OSError):
            if mark in b"\0" + Path(f"/proc/{pid}/environ").read_bytes():
                os.kill(pid, signal.SIGKILL)


def _processes() -> list[tuple[int, list[str]]]:
    """Return every process' id and its stat from the third field: state, parent, group, session."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with (
            suppress(OSError),
            open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file,
        ):
            found.append((int(name), file.read().rpartition(")")[2].split()))
    return found
