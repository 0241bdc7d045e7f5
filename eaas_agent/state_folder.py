"""The agent's state folder: made private, and held by one agent at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from eaas.errors import EaasError


class StateInUse(EaasError):
    """Another agent works on the same state folder."""

    code = "state_in_use"

    def __init__(self, path: Path, holder: str) -> None:
        self.holder: Final = holder
        """Its process, as it wrote itself down."""
        super().__init__(
            f"another agent (process {holder}) works on {path}: stop it first, or give this one "
            "its own --state-dir"
        )


class NoState(EaasError):
    """The state folder can't be made or used."""

    code = "no_state_folder"


@contextmanager
def held_state_folder(path: Path) -> Iterator[Path]:
    """Make the folder and hold its lock while the block runs.

    Its names may be walked through, so that a job that runs as somebody else reaches its
    workspace; they can't be listed, and the agent's own files are closed.
    """
    try:
        _make(path)
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise NoState(f"{path} can't hold an agent's state: {error.strerror}") from error
    try:
        _lock(lock, path)
        yield path
    finally:
        os.close(lock)


def _make(path: Path) -> None:
    """Make the folder and those above it passable, whatever the umask."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)
    path.chmod(0o711)


def _lock(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
        raise StateInUse(path, holder) from error
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
