"""What the kernel tells of a process on a card: whose it is, what it runs, in which container.

A driver knows only pids. Everything here reads ``/proc`` and takes a vanished process for an
ordinary thing. The agent must see the host's pids, because that is what the driver reports.
"""

import pwd
import re
import threading
from pathlib import Path
from typing import Final

import msgspec

COMMAND_LENGTH: Final = 200
"""Characters of a command line that are kept."""

NAME_PATIENCE_S: Final = 0.3
"""How long a user's name may take; a directory server that is away must not stop the readings."""

_CONTAINER_ID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


class ProcessFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What could be learnt about one process; what could not is None."""

    user: str | None = None
    command: str | None = None
    container: str | None = None
    started_ticks: int | None = None


class UserNames:
    """Names of users by number, each asked once and waited for no longer than 0.3 s."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._asked: set[int] = set()

    def name(self, uid: int) -> str:
        """Return the user's name, or its number while no name is known."""
        if uid not in self._asked:
            self._asked.add(uid)
            asking = threading.Thread(target=self._ask, args=(uid,), daemon=True)
            asking.start()
            asking.join(NAME_PATIENCE_S)
        return self._names.get(uid, str(uid))

    def _ask(self, uid: int) -> None:
        try:
            self._names[uid] = pwd.getpwuid(uid).pw_name
        except KeyError:
            self._names[uid] = str(uid)


def describe(pid: int, names: UserNames, proc: Path = Path("/proc")) -> ProcessFacts | None:
    """Return the facts about a process, or None when it is gone or not visible from here."""
    folder = proc / str(pid)
    stat = _read(folder / "stat")
    if not stat:
        return None
    uid = uid_in(_read(folder / "status"))
    return ProcessFacts(
        user=None if uid is None else names.name(uid),
        command=command_line(_read(folder / "cmdline"), stat),
        container=container_in(_read(folder / "cgroup")),
        started_ticks=start_ticks_in(stat),
    )


def container_in(cgroup: str) -> str | None:
    """Return the container's 64-hex id in the text of ``/proc/<pid>/cgroup``, or None.

    Engines differ in everything around the id (``/docker/<id>``, ``docker-<id>.scope``, a parent
    of one's own), so only the id is looked for; the innermost one wins.
    """
    found = _CONTAINER_ID.findall(cgroup)
    return found[-1] if found else None


def start_ticks_in(stat: str) -> int | None:
    """Return the start time in the text of ``/proc/<pid>/stat``, in clock ticks since boot.

    The name before it stands in brackets and may itself hold brackets and spaces.
    """
    fields = stat.rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[19].isdigit() else None


def uid_in(status: str) -> int | None:
    """Return the real user's number in the text of ``/proc/<pid>/status``.

    Not the owner of the folder: that is root for every process that may not be dumped.
    """
    for line in status.splitlines():
        if line.startswith("Uid:"):
            return int(line.split()[1])
    return None


def command_line(cmdline: str, stat: str) -> str | None:
    """Return the command line, cut, or the name in brackets when there is none."""
    words = cmdline.replace("\0", " ").strip()
    if words:
        return words[:COMMAND_LENGTH]
    name = stat.partition("(")[2].rpartition(")")[0]
    return f"[{name}]" if name else None


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""
