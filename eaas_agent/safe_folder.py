"""Opening a folder in whose place nobody but its owner could have put another.

Every folder on the way is opened from the one above it, and no link is followed: what was looked
at is what is there. A user who may write to the way could otherwise let the engine, which is root,
mount any folder of this host into a job.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas_agent.accounts import name_of

_ONLY_LOOK: Final = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class Unfit(EaasError):
    """A folder can't be given to jobs."""

    code = "folder_unfit"


class OpenFolder(msgspec.Struct, frozen=True):
    """A folder that was reached safely."""

    path: Path
    fd: int
    """Good for looking, and as the start of paths below."""
    is_mounted: bool
    """Something is mounted exactly there."""

    def keep_still(self) -> None:
        """Raise ``Unfit`` if others may put something else in place of what lies in it.

        Unlike on the way, a sticky bit is not enough: it leaves owners their own folders.
        """
        _refuse_writers(self.path, os.fstat(self.fd).st_mode & ~stat.S_ISVTX)


@contextmanager
def opened(path: Path, owners: frozenset[int]) -> Iterator[OpenFolder]:
    """Open the folder; raise ``Unfit`` if it is not there, or if another could be.

    Every part of the way must belong to one of the owners, and nobody else may write there; the
    folder itself must belong to one of them, and may be open to all.
    """
    here = Path("/")
    at = os.open(here, _ONLY_LOOK)
    try:
        above = at_mount = _mount_id(at)
        for part in path.parts[1:]:
            _check_way(here, os.fstat(at), owners)
            here /= part
            below = open_below(at, part, here)
            os.close(at)
            at, above, at_mount = below, at_mount, _mount_id(below)
        _check_owner(here, os.fstat(at), owners)
        yield OpenFolder(here, at, is_mounted=at_mount != above)
    finally:
        os.close(at)


def open_below(at: int, name: str, path: Path) -> int:
    """Return a descriptor of the folder ``name`` in an open one; ``path`` is what to call it."""
    try:
        return os.open(name, _ONLY_LOOK, dir_fd=at)
    except FileNotFoundError as error:
        raise Unfit(f"{path} is not there") from error
    except NotADirectoryError as error:
        with suppress(OSError):
            if stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                raise Unfit(f"{path} is a link: name the folder that it leads to") from error
        raise Unfit(f"{path} is not a folder") from error
    except OSError as error:
        raise Unfit(f"{path} can't be opened: {error.strerror}") from error


def _check_way(path: Path, found: os.stat_result, owners: frozenset[int]) -> None:
    _check_owner(path, found, owners)
    _refuse_writers(path, found.st_mode)


def _check_owner(path: Path, found: os.stat_result, owners: frozenset[int]) -> None:
    if found.st_uid not in owners:
        allowed = " or ".join(map(name_of, sorted(owners)))
        raise Unfit(f"{path} belongs to {name_of(found.st_uid)}: it must be {allowed}'s")


def _refuse_writers(path: Path, mode: int) -> None:
    # In a sticky folder nobody can rename what is another's, and all that counts here is root's.
    if mode & _OTHERS_WRITE and not mode & stat.S_ISVTX:
        raise Unfit(f"others than its owner may write in {path}: chmod go-w {path}")


def _mount_id(fd: int) -> str:
    for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines():
        if line.startswith("mnt_id:"):
            return line
    raise Unfit("this kernel does not say what is mounted where")
