"""An attempt's folder: who runs it, how it ended, what it wrote. The shim writes, we read.

Nothing here is fsynced: the agent's database has the intent, and after a power cut a folder with an
unreadable claim counts as an attempt that may have run.
"""

import os
import shutil
from contextlib import suppress
from typing import Final

import msgspec

from eaas.ids import JobNumber
from eaas_agent.runtimes.port import Stream

DEFAULT_LOG_CAP_MIB: Final = 2048
_USUAL_FILES: Final = ("/stdout", "/stderr", "/claim", "/exit")
"""In the order of their removal: an exit without a claim is a removal that was cut short."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Which shim runs the attempt, and what the runtime must know to adopt it."""

    pid: int
    """Of the shim; also its session and process group."""
    started_at: float
    """Unix seconds by this host's clock."""
    boot_id: str
    number: JobNumber
    epoch: int
    log_cap_mib: int
    agent_id: str
    inode: int | None = None
    """Of the folder it was written into: a copy's folder has another. None: an older version's."""

    @property
    def handle(self) -> str:
        """The durable name of the running attempt."""
        return handle_text(self.pid, self.started_at, self.boot_id)


def handle_text(pid: int, started_at: float, boot_id: str) -> str:
    """Return the text that names a shim beyond the reuse of its process id."""
    return f"{pid}:{started_at!r}:{boot_id}"


def read_handle(handle: str) -> tuple[int, float, str] | None:
    """Return process id, start and boot id, or None for a text that is no handle."""
    try:
        pid, started_at, boot_id = handle.split(":")
        return int(pid), float(started_at), boot_id
    except ValueError:
        return None


def claim_text(
    *,
    number: int,
    epoch: int,
    started_at: float,
    boot_id: str,
    log_cap_mib: int,
    agent_id: str,
    inode: int,
) -> str:
    """Return what the shim writes into its claim after its process id; no part holds a space."""
    return f"{number} {epoch} {started_at!r} {boot_id} {log_cap_mib} {agent_id} {inode}"


class AttemptFolder:
    """The files of one attempt."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        """``path`` is absolute: the shim is recognized by it."""
        self.path: Final = path

    def create(self) -> bool:
        """Make the folder and those above it; return False when it exists already."""
        try:
            os.mkdir(self.path, 0o700)
        except FileExistsError:
            return False
        except FileNotFoundError:
            os.makedirs(self.path, 0o700)
        return True

    def exists(self) -> bool:
        """Tell whether the folder is there."""
        return os.path.isdir(self.path)

    def log(self, stream: Stream) -> str:
        """Return the path of a stream's bytes."""
        return f"{self.path}/{stream}"

    def claim(self) -> Claim | None:
        """Return who runs the attempt; None when nobody does or the claim is not whole."""
        words = (
            (_read(f"{self.path}/claim") or b"").decode(errors="replace").splitlines(keepends=True)
        )
        parts = words[0].split() if words and words[0].endswith("\n") else []
        if len(parts) not in (7, 8):
            return None
        try:
            return Claim(
                pid=int(parts[0]),
                number=JobNumber(int(parts[1])),
                epoch=int(parts[2]),
                started_at=float(parts[3]),
                boot_id=parts[4],
                log_cap_mib=int(parts[5]),
                agent_id=parts[6],
                inode=int(parts[7]) if len(parts) == 8 else None,
            )
        except ValueError:
            return None

    def inode(self) -> int:
        """Return what tells this folder from a copy of it; raise ``OSError`` when it is gone."""
        return os.stat(self.path).st_ino

    def is_claimed(self) -> bool:
        """Tell whether a shim or a tombstone holds the claim."""
        return os.path.exists(f"{self.path}/claim")

    def bury(self) -> bool:
        """Take the claim so that no shim can run any more; False if it is taken or no folder."""
        try:
            os.close(os.open(f"{self.path}/claim", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except (FileExistsError, FileNotFoundError):
            return False
        return True

    def exit(self) -> tuple[int, float] | None:
        """Return the exit code and when it was written, in Unix seconds; None when it was not.

        The newline at its end tells that it is whole.
        """
        try:
            fd = os.open(f"{self.path}/exit", os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            text = os.read(fd, 16)
            finished_at = os.fstat(fd).st_mtime
        finally:
            os.close(fd)
        digits, newline, _ = text.partition(b"\n")
        return (int(digits), finished_at) if newline and digits.isdigit() else None

    def mark_killed(self) -> None:
        """Note that we send KILL, for the runtime that may have to explain the end after us."""
        with suppress(OSError):
            os.close(os.open(f"{self.path}/killed", os.O_WRONLY | os.O_CREAT, 0o600))

    def was_killed(self) -> bool:
        """Tell whether a runtime sent KILL to this attempt."""
        return os.path.exists(f"{self.path}/killed")

    def delete(self) -> None:
        """Remove the folder and all in it; nothing happens when it is gone."""
        for name in _USUAL_FILES:
            with suppress(OSError):
                os.unlink(self.path + name)
        try:
            os.rmdir(self.path)
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)
