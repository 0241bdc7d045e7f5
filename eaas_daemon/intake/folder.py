"""One watched folder on the disk: looked at, taken from, answered in. Everything here blocks.

Whoever may write into the folder is not trusted: paths are followed only up to the folder itself,
everything below goes through its descriptor, and a link, a pipe or a device is never opened.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from eaas.errors import EaasError
from eaas.job_file import MAX_BYTES
from eaas_daemon.intake import names
from eaas_daemon.intake.stillness import Sighting

_HERE: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITTEN: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_KINDS: Final = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)


class FolderUnusable(EaasError):
    """The folder can't be watched now; the sentence says why."""

    code = "folder_unusable"


class TakenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file out of its writer's reach, and what is in it, or why it can't be read."""

    name: str
    uid: int
    """Whose it is; links of others are never followed, so this is who put it there."""
    mode: int
    data: bytes = b""
    wrong: str | None = None
    changing: bool = False
    """Somebody wrote to it while it was read."""


@contextmanager
def opened(path: Path, service_uid: int) -> Iterator["Folder"]:
    """Open the folder and its own parts, made where missing; raises ``FolderUnusable``."""
    descriptors: list[int] = []
    try:
        descriptors.append(_open_top(path, service_uid))
        mode = _mode_below(os.fstat(descriptors[0]).st_mode)
        for name in names.OWN_FOLDERS:
            own = 0o700 if name == names.TAKEN else mode
            descriptors.append(_open_own(path, descriptors[0], name, own, service_uid))
        yield Folder(path, *descriptors)
    except OSError as error:
        raise FolderUnusable(f"{path} can't be used: {error.strerror}") from error
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _open_top(path: Path, service_uid: int) -> int:
    try:
        top = os.open(path, _HERE)
    except FileNotFoundError as error:
        raise FolderUnusable(f"{path} is not there (not mounted?)") from error
    except NotADirectoryError as error:
        raise FolderUnusable(f"{path} is not a folder") from error
    found = os.fstat(top)
    if found.st_uid != service_uid:
        os.close(top)
        raise FolderUnusable(f"{path} must belong to the controller's user: chown it")
    if found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
        os.close(top)
        raise FolderUnusable(f"people could change each other's files in {path}: chmod +t it")
    return top


def _mode_below(mode: int) -> int:
    """Return the mode of the parts that people read: who may look into the folder may there."""
    group = 0o050 if mode & 0o050 == 0o050 else 0
    everybody = 0o005 if mode & 0o005 == 0o005 else 0
    return 0o700 | group | everybody


def _open_own(path: Path, top: int, name: str, mode: int, service_uid: int) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=top)
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
    return own


class Folder:
    """An open folder."""

    def __init__(self, path: Path, top: int, taken: int, accepted: int, refused: int) -> None:
        self.path: Final = path
        self._top = top
        self._taken = taken
        self._accepted = accepted
        self._refused = refused

    # --- look and take

    def look(self) -> list[Sighting]:
        """Return everything in the folder that is meant for it."""
        found: list[Sighting] = []
        with os.scandir(self._top) as entries:
            for entry in entries:
                if names.is_meant(entry.name):
                    with suppress(FileNotFoundError):
                        found.append(_sighting(entry))
        return found

    def taken(self) -> list[str]:
        """Return the files that were taken and not answered yet, by name."""
        return sorted(os.listdir(self._taken))

    def take(self, wanted: Sequence[str]) -> list[str]:
        """Take the files out of their writers' reach; those that are gone are left out."""
        taken: list[str] = []
        for name in wanted:
            with suppress(FileNotFoundError):
                os.rename(name, name, src_dir_fd=self._top, dst_dir_fd=self._taken)
                taken.append(name)
        return taken

    def read(self, name: str) -> TakenFile:
        """Return the taken file's content, read once."""
        try:
            descriptor = os.open(name, _FILE, dir_fd=self._taken)
        except OSError as error:
            return self._unopened(name, error)
        try:
            return _content(name, descriptor)
        finally:
            os.close(descriptor)

    def _unopened(self, name: str, error: OSError) -> TakenFile:
        found = os.stat(name, dir_fd=self._taken, follow_symlinks=False)
        wrong = _strange(found)
        if wrong is None and isinstance(error, PermissionError):
            wrong = "the controller may not read it: chmod a+r it, or copy it instead of moving it"
        return _taken(name, found, wrong=wrong or f"it can't be read: {error.strerror}")

    # --- answer

    def accept(self, name: str, new_name: str, status: str) -> None:
        """Put the taken file among the accepted ones, its status beside it."""
        os.rename(name, new_name, src_dir_fd=self._taken, dst_dir_fd=self._accepted)
        self.write_beside(new_name, names.STATUS, status)

    def refuse(self, name: str, why: str) -> None:
        """Put the taken file among the refused ones, with what is wrong beside it."""
        found = os.stat(name, dir_fd=self._taken, follow_symlinks=False)
        _write(self._refused, name + names.ERROR, why.encode(), found)
        try:
            os.rename(name, name, src_dir_fd=self._taken, dst_dir_fd=self._refused)
        except OSError as error:
            if error.errno not in (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST):
                raise
            aside = f"{found.st_ino}-{name}"
            os.rename(name, aside, src_dir_fd=self._taken, dst_dir_fd=self._refused)

    def write_beside(self, name: str, ending: str, content: str | bytes) -> None:
        """Write a file beside an accepted one, readable by whoever may read that.

        Whoever looks sees all of it or the one before. Raises FileNotFoundError when the
        accepted file is gone: nobody wants to know any more.
        """
        found = os.stat(name, dir_fd=self._accepted, follow_symlinks=False)
        data = content.encode() if isinstance(content, str) else content
        _write(self._accepted, name + ending, data, found)

    @contextmanager
    def log_beside(self, name: str, ending: str) -> Iterator[BinaryIO]:
        """Let a long file be written beside an accepted one, as ``write_beside`` does."""
        found = os.stat(name, dir_fd=self._accepted, follow_symlinks=False)
        with _written(self._accepted, name + ending, found) as file:
            yield file

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

    def read_accepted(self, name: str, limit: int = MAX_BYTES) -> bytes:
        """Return the beginning of a file among the accepted ones."""
        descriptor = os.open(name, _FILE, dir_fd=self._accepted)
        try:
            return os.read(descriptor, limit)
        finally:
            os.close(descriptor)


def _sighting(entry: "os.DirEntry[str]") -> Sighting:
    found = entry.stat(follow_symlinks=False)
    return Sighting(
        name=entry.name,
        inode=found.st_ino,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        ctime_ns=found.st_ctime_ns,
    )


def _content(name: str, descriptor: int) -> TakenFile:
    found = os.fstat(descriptor)
    wrong = _strange(found)
    if wrong is None and found.st_size > MAX_BYTES:
        wrong = f"it is {-(-found.st_size // 1024)} KiB; a job file is 256 KiB at most"
    if wrong is not None:
        return _taken(name, found, wrong=wrong)
    data = os.read(descriptor, MAX_BYTES + 1)
    after = os.fstat(descriptor)
    changing = (len(data), after.st_mtime_ns) != (found.st_size, found.st_mtime_ns)
    return _taken(name, found, data=data, changing=changing)


def _taken(
    name: str,
    found: os.stat_result,
    *,
    data: bytes = b"",
    wrong: str | None = None,
    changing: bool = False,
) -> TakenFile:
    mode = 0o600 if stat.S_ISLNK(found.st_mode) else found.st_mode
    return TakenFile(
        name=name, uid=found.st_uid, mode=mode, data=data, wrong=wrong, changing=changing
    )


def _strange(found: os.stat_result) -> str | None:
    """Return what is wrong with a thing that is not a plain file of one name."""
    for is_kind, word in _KINDS:
        if is_kind(found.st_mode):
            return f"it is {word}; put the file itself here"
    if not stat.S_ISREG(found.st_mode):
        return "it is a device; put a plain file here"
    if found.st_nlink != 1:
        return "it has a second name elsewhere (a hard link); copy it here instead"
    return None


def _write(folder: int, name: str, data: bytes, like: os.stat_result) -> None:
    with _written(folder, name, like) as file:
        file.write(data)


@contextmanager
def _written(folder: int, name: str, like: os.stat_result) -> Iterator[BinaryIO]:
    """Let it be written for those who may read ``like``, in one piece or not at all."""
    part = f".{name}.part"
    with suppress(FileNotFoundError):
        os.unlink(part, dir_fd=folder)
    descriptor = os.open(part, _WRITTEN, 0o600, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        readers = 0o044 if stat.S_ISLNK(like.st_mode) else like.st_mode & 0o044
        os.fchmod(descriptor, 0o600 | readers)
        with suppress(PermissionError):
            os.fchown(descriptor, like.st_uid, like.st_gid)
        yield file
    os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
