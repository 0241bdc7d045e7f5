"""Writing a file into one of a folder's own parts: whoever looks sees all of it or none."""

import os
import stat
from contextlib import suppress
from typing import Final, Self

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READERS: Final = 0o044


class Part:
    """A file that gets its name when it is finished."""

    def __init__(self, folder: int, name: str, like: os.stat_result | None) -> None:
        """Begin it in a folder, for those who may read ``like``; None: for everybody.

        Raises OSError.
        """
        self._folder = os.dup(folder)
        self._name, self._unfinished = name, f".{name}.part"
        try:
            with suppress(FileNotFoundError):
                os.unlink(self._unfinished, dir_fd=self._folder)
            descriptor = os.open(self._unfinished, _NEW, 0o600, dir_fd=self._folder)
        except OSError:
            os.close(self._folder)
            raise
        self._file = os.fdopen(descriptor, "wb")
        try:
            os.fchmod(descriptor, 0o600 | _readers(descriptor, like))
        except OSError:
            self.abandon()
            raise

    def write(self, data: bytes) -> None:
        """Add to it."""
        self._file.write(data)

    def finish(self) -> None:
        """Let it be seen, instead of the one before."""
        try:
            self._file.close()
            os.rename(
                self._unfinished, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder
            )
        except OSError:
            self.abandon()
            raise
        os.close(self._folder)

    def abandon(self) -> None:
        """Leave nothing of it behind."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            os.unlink(self._unfinished, dir_fd=self._folder)
        os.close(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()


def write_part(folder: int, name: str, content: str | bytes, like: os.stat_result | None) -> None:
    """Write a whole file, for those who may read ``like``; None: for everybody."""
    with Part(folder, name, like) as part:
        part.write(content.encode() if isinstance(content, str) else content)


def _readers(descriptor: int, like: os.stat_result | None) -> int:
    """Make the file belong to those who have ``like``; return who else may read it."""
    if like is None or not stat.S_ISREG(like.st_mode):
        return _READERS
    try:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    except PermissionError:
        try:
            os.fchown(descriptor, -1, like.st_gid)
        except PermissionError:
            return _READERS if like.st_mode & 0o004 else 0
    return like.st_mode & _READERS
