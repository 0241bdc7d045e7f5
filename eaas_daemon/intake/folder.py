"""One watched folder on the disk, open: looked at, taken from, answered in. All of it blocks."""

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from eaas_daemon.intake import names
from eaas_daemon.intake.failures import concerns_all
from eaas_daemon.intake.holder import Holder
from eaas_daemon.intake.owners import open_to
from eaas_daemon.intake.stillness import Sighting
from eaas_daemon.intake.taken_file import TakenFile, read_taken
from eaas_daemon.intake.written import Part, write_part

MAX_SEEN: Final = 20_000
"""How many files one look tells of: the others come when these are gone."""

MAX_BESIDE_BYTES: Final = 4 << 20
"""A status of a thousand jobs has a tenth of it; those who have one may have written into it."""

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_IN_THE_WAY: Final = (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST)

Identity = tuple[int, int]


class Folder:
    """An open folder; ``opened`` makes it, checks it and closes it."""

    def __init__(
        self, found: os.stat_result, top: int, taken: int, accepted: int, refused: int
    ) -> None:
        self.identity: Final[Identity] = (found.st_dev, found.st_ino)
        """Which folder this is, whatever its path leads to later."""
        self.private: Final = not found.st_mode & _OTHERS_WRITE
        """Nobody but its owner and root puts anything here."""
        self.open_to: Final = open_to(found)
        """Who puts anything here, for people."""
        self._top = top
        self._taken = taken
        self._accepted = accepted
        self._refused = refused

    def hold(self, holder: Holder, now: float) -> None:
        """Let the holder leave its name in the folder; raises ``HeldElsewhere``."""
        holder.hold(self._taken, now)

    # --- look and take

    def changed_ns(self) -> int:
        """Return when something last came into the folder or went, by its file system's clock."""
        return os.fstat(self._top).st_mtime_ns

    def names(self) -> list[str]:
        """Return the names of everything in the folder."""
        return os.listdir(self._top)

    def sighted(self, wanted: Iterable[str]) -> list[Sighting]:
        """Return how these look now; those that are gone are left out."""
        found: list[Sighting] = []
        for name in wanted:
            with suppress(FileNotFoundError):
                found.append(_sighting(name, self._top))
        return found

    def taken(self) -> list[str]:
        """Return the files that were taken and not answered yet, by name."""
        return sorted(filter(names.is_meant, os.listdir(self._taken)))

    def take(self, wanted: Iterable[str]) -> tuple[list[str], dict[str, str]]:
        """Take the files out of their writers' reach; return which, and why others can't be.

        Those that are gone are in neither.
        """
        taken: list[str] = []
        stuck: dict[str, str] = {}
        for name in wanted:
            try:
                os.rename(name, name, src_dir_fd=self._top, dst_dir_fd=self._taken)
                taken.append(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                if concerns_all(error):
                    raise
                stuck[name] = f"it can't be taken ({error.strerror}): put a plain file here"
        return taken, stuck

    def read(self, wanted: Sequence[str]) -> list[TakenFile]:
        """Return what taken files hold, each read once."""
        return [file for name in wanted if (file := read_taken(self._taken, name)) is not None]

    # --- answer

    def accept(self, name: str, new_name: str, status: str) -> None:
        """Put the taken file among the accepted ones, its status beside it."""
        found = os.stat(name, dir_fd=self._taken, follow_symlinks=False)
        write_part(self._accepted, new_name + names.STATUS, status, found)
        os.rename(name, new_name, src_dir_fd=self._taken, dst_dir_fd=self._accepted)

    def refuse(self, name: str, why: str, *, secret: bool) -> None:
        """Put the taken file among the refused ones, with what is wrong beside it.

        ``secret``: that tells of its content, so only those may read it who may read the file.
        """
        found = os.stat(name, dir_fd=self._taken, follow_symlinks=False)
        new_name = self._refused_name(name, found)
        write_part(self._refused, new_name + names.ERROR, why, found if secret else None)
        try:
            os.rename(name, new_name, src_dir_fd=self._taken, dst_dir_fd=self._refused)
        except OSError as error:
            if error.errno not in _IN_THE_WAY:
                raise
            aside = f"{found.st_ino}-{new_name}"
            os.rename(name, aside, src_dir_fd=self._taken, dst_dir_fd=self._refused)

    def refuse_in_place(self, name: str, why: str) -> None:
        """Say what is wrong with something that can't be moved."""
        write_part(self._refused, names.refused_name(name, 0) + names.ERROR, why, None)

    def _refused_name(self, name: str, found: os.stat_result) -> str:
        """Return the file's own name, unless it would put away what somebody else has there."""
        new_name = names.refused_name(name, found.st_ino)
        try:
            there = os.stat(new_name, dir_fd=self._refused, follow_symlinks=False)
        except FileNotFoundError:
            return new_name
        return new_name if there.st_uid == found.st_uid else f"{found.st_uid}-{new_name}"

    # --- beside accepted files

    def write_beside(self, name: str, ending: str, content: str | bytes) -> None:
        """Write a file beside an accepted one, readable by whoever may read that.

        Whoever looks sees all of it or the one before. Raises FileNotFoundError when the
        accepted file is gone: nobody wants to know any more.
        """
        found = os.stat(name, dir_fd=self._accepted, follow_symlinks=False)
        write_part(self._accepted, name + ending, content, found)

    def begin_beside(self, name: str, ending: str) -> Part:
        """Begin a long file beside an accepted one; as ``write_beside`` for the rest."""
        found = os.stat(name, dir_fd=self._accepted, follow_symlinks=False)
        return Part(self._accepted, name + ending, found)

    def accepted(self) -> list[str]:
        """Return the names of all files among the accepted ones."""
        return os.listdir(self._accepted)

    def has_accepted(self, name: str) -> bool:
        """Tell whether a file of this name is among the accepted ones."""
        try:
            os.stat(name, dir_fd=self._accepted, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def has_status(self, name: str) -> bool:
        """Tell whether a status stands beside the accepted file."""
        return self.has_accepted(name + names.STATUS)

    def read_beside(self, name: str, ending: str, limit: int = MAX_BESIDE_BYTES) -> bytes:
        """Return what stands beside an accepted file, or its head; nothing if it isn't there."""
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(name + ending, flags, dir_fd=self._accepted)
        except FileNotFoundError:
            return b""
        with os.fdopen(descriptor, "rb") as file:
            return file.read(limit)

    def forget_old(self, before: float) -> int:
        """Delete accepted and refused files that were over before then; return how many.

        ``before`` is in Unix seconds. What became of them stays with their jobs.
        """
        settled = {
            file
            for file in _old(self._accepted, names.STATUS, before)
            if names.tells_all_final(self.read_beside(file, names.STATUS))
        }
        refused = _old(self._refused, names.ERROR, before)
        return _delete(self._accepted, settled) + _delete(self._refused, refused)


def _old(folder: int, ending: str, before: float) -> set[str]:
    """Return the files beside which something with this ending was last written before then."""
    with os.scandir(folder) as entries:
        ours = (entry for entry in entries if entry.name.endswith(ending))
        old = [e.name for e in ours if e.stat(follow_symlinks=False).st_mtime < before]
    return {name.removesuffix(ending) for name in old}


def _delete(folder: int, files: set[str]) -> int:
    """Delete the files and what stands beside them, that last: it tells what they are."""
    if not files:
        return 0
    for name in sorted(os.listdir(folder), key=lambda name: name.endswith(names.KEPT_LAST)):
        if name in files or names.stands_beside(name) in files:
            with suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(name, dir_fd=folder)
    return len(files)


def _sighting(name: str, top: int) -> Sighting:
    found = os.stat(name, dir_fd=top, follow_symlinks=False)
    return Sighting(
        name=name,
        inode=found.st_ino,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        ctime_ns=found.st_ctime_ns,
    )
