"""Opening a watched folder safely, and the sentences for those that can't be used.

Whoever may write into the folder is not trusted: paths are followed only up to the folder itself,
everything below goes through its descriptor.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from eaas_daemon.intake import names
from eaas_daemon.intake.failures import FolderUnusable, concerns_all, unusable
from eaas_daemon.intake.folder import Folder

_HERE: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@contextmanager
def opened(path: Path, service_uid: int) -> Iterator[Folder]:
    """Open the folder and its own parts, made where missing.

    Raises ``FolderUnusable`` when that can't be, and for failures within that are not one
    file's but the whole folder's: read-only, full, gone.
    """
    descriptors: list[int] = []
    try:
        folder = _opened(path, service_uid, descriptors)
        try:
            yield folder
        except OSError as error:
            if concerns_all(error):
                raise unusable(path, error) from error
            raise
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _opened(path: Path, service_uid: int, descriptors: list[int]) -> Folder:
    try:
        top, found = _open_top(path, service_uid)
        descriptors.append(top)
        for name in names.OWN_FOLDERS:
            own = 0o700 if name == names.TAKEN else _mode_below(found.st_mode)
            descriptors.append(_open_own(path, top, name, own, found.st_gid, service_uid))
    except OSError as error:
        raise unusable(path, error) from error
    return Folder(found, *descriptors)


def _open_top(path: Path, service_uid: int) -> tuple[int, os.stat_result]:
    if path.name in names.OWN_FOLDERS:
        raise FolderUnusable(f"{path} is called like a part of a watched folder: name another")
    _refuse_links_of_others(path, service_uid)
    try:
        top = os.open(path, _HERE)
    except FileNotFoundError as error:
        raise FolderUnusable(f"{path} is not there (not mounted?)") from error
    except NotADirectoryError as error:
        raise FolderUnusable(f"{path} is not a folder") from error
    found = os.fstat(top)
    wrong = None
    if found.st_uid != service_uid:
        wrong = f"{path} must belong to the controller's user: chown it"
    elif found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
        wrong = f"people could change each other's files in {path}: chmod +t it"
    if wrong is not None:
        os.close(top)
        raise FolderUnusable(wrong)
    return top, found


def _refuse_links_of_others(path: Path, service_uid: int) -> None:
    """Refuse a way that somebody else could turn: to the controller's own files, for instance."""
    for part in (path, *path.parents):
        with suppress(FileNotFoundError):
            found = os.lstat(part)
            if stat.S_ISLNK(found.st_mode) and found.st_uid not in (0, service_uid):
                raise FolderUnusable(f"{part} is a link of somebody else: name the folder itself")


def _mode_below(mode: int) -> int:
    """Return the mode of the parts that people read: who may look into the folder may there."""
    group = 0o050 if mode & 0o050 == 0o050 else 0
    everybody = 0o005 if mode & 0o005 == 0o005 else 0
    return 0o700 | group | everybody


def _let_in(own: int, found: os.stat_result, mode: int, gid: int) -> None:
    """Let those look into a part who may look into the folder now: it may be another group's."""
    if (found.st_gid, stat.S_IMODE(found.st_mode)) != (gid, mode):
        with suppress(PermissionError):
            os.fchown(own, -1, gid)
            os.fchmod(own, mode)


def _open_own(path: Path, top: int, name: str, mode: int, gid: int, service_uid: int) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=top)
        with suppress(PermissionError):
            os.chown(name, -1, gid, dir_fd=top, follow_symlinks=False)
        os.chmod(name, mode, dir_fd=top)
    try:
        own = os.open(name, _HERE | os.O_NOFOLLOW, dir_fd=top)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise FolderUnusable(f"{path / name} is in the way: delete it") from error
        raise
    found = os.fstat(own)
    if found.st_uid != service_uid or found.st_mode & _OTHERS_WRITE:
        os.close(own)
        raise FolderUnusable(f"{path / name} must be the controller's alone: delete it")
    _let_in(own, found, mode, gid)
    return own
