"""Whose a folder is when two controllers were told to watch it: each would run every file.

Who watches a folder leaves its name in it and renews that at every look. A name that is not renewed
any more is put out by the next one. Nothing is kept open for this: the disk under the folder can be
unmounted at any time.
"""

import os
from pathlib import Path
from typing import Final

import msgspec

from eaas.safe_text import safe_text
from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.written import write_part

NOTE: Final = ".holder"
GONE_AFTER_S: Final = 30.0
"""Six looks: whoever did not renew its name for so long has ended, or was told to leave."""

_MAX_BYTES: Final = 4096
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class HeldElsewhere(FolderUnusable):
    """Another controller watches the folder."""


class _Note(msgspec.Struct, frozen=True):
    name: bytes
    renewed_ns: int


class Holder:
    """One controller, before one folder."""

    def __init__(self, name: str, path: Path) -> None:
        """``name`` is the same after a restart, and no other controller's."""
        self._name = os.fsencode(name)
        self._path = path
        self._other: _Note | None = None
        self._since = 0.0

    def hold(self, within: int, now: float) -> None:
        """Leave or renew the name; raise ``HeldElsewhere`` while another one is fresh.

        ``within`` is a descriptor of a folder of the controller's user alone, ``now`` monotonic.
        How old the other's name is, is watched: its clock, or the file server's, may be wrong.
        """
        note = _read(within)
        if note is None and not self._left_first(within):
            note = _read(within)
        if note is None:
            return
        if note.name == self._name:
            os.utime(NOTE, dir_fd=within)
            return
        if note != self._other:
            self._other, self._since = note, now
        if now - self._since < GONE_AFTER_S:
            other = safe_text(note.name.decode(errors="replace")) or "another home"
            raise HeldElsewhere(
                f"{self._path} is watched by the controller of {other}, or was until a moment "
                "ago: let only one of the two watch it"
            )
        write_part(within, NOTE, self._name, None)

    def _left_first(self, within: int) -> bool:
        try:
            descriptor = os.open(NOTE, _NEW, 0o600, dir_fd=within)
        except FileExistsError:
            return False
        with os.fdopen(descriptor, "wb") as file:
            file.write(self._name)
        return True


def _read(within: int) -> _Note | None:
    try:
        descriptor = os.open(NOTE, _READ, dir_fd=within)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return _Note(file.read(_MAX_BYTES), os.fstat(descriptor).st_mtime_ns)
