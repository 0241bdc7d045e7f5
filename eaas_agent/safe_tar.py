"""Writes a tar of something inside a workspace, never following a link out of it.

A job may change its workspace while it is read: every folder and file is opened relative to the
one above it and without following links, so a link that appears in between ends in an error and
never outside.
"""

import os
import posixpath
import stat
import tarfile
from collections import deque
from pathlib import Path
from typing import IO, Final, Self

from eaas.errors import EaasError

INSIDE: Final = "/workspace"
"""What a job calls its workspace, for links that spell it out."""

MAX_LINKS: Final = 40
MAX_DEPTH: Final = 100
"""Folders above one another. Each open one costs a file descriptor and a turn of the stack."""
PIECE_BYTES: Final = 1 << 18
SHOWN_CHARS: Final = 80


class NoSuchFile(EaasError):
    """Nothing of that name is in the workspace."""

    code = "no_such_file"


class LeavesWorkspace(EaasError):
    """The path or a link on it leads out of the workspace."""

    code = "leaves_workspace"


class TooDeep(EaasError):
    """The path or what it names goes through more folders than anybody needs."""

    code = "too_deep"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} goes through more than {MAX_DEPTH} folders; pack it in the job")


class Picked:
    """Something in a workspace that was found and may be read. Use as a context manager."""

    def __init__(self, parent: int, name: str, shown: str) -> None:
        """``parent`` is an open folder that this takes over; ``name`` is empty for the folder
        itself; ``shown`` is what the tar calls it, empty for a whole workspace.
        """
        self.parent: Final = parent
        self.name: Final = name
        self.shown: Final = shown

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.parent)


def pick(workspace: Path, path: str) -> Picked:
    """Find the path in the workspace, through links that stay inside."""
    try:
        root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise NoSuchFile("the job's workspace is not on this node any more") from error
    try:
        parts = _resolve(root, path.removeprefix(INSIDE) if _spelled_out(path) else path)
        parent = _open_folder(root, parts[:-1])
        if parts:
            _check_kind(parent, parts[-1], path)
    except FileNotFoundError as error:
        raise NoSuchFile(f"there is no {path} in the workspace") from error
    except OSError as error:
        why = (error.strerror or "it can't be read").lower()
        raise NoSuchFile(f"{path} can't be read: {why}") from error
    finally:
        os.close(root)
    shown = posixpath.basename(posixpath.normpath(path)) if parts else ""
    return Picked(parent, parts[-1] if parts else "", shown)


def write_tar(picked: Picked, out: IO[bytes]) -> None:
    """Write the tar; what is neither file, folder nor link is left out."""
    with tarfile.open(
        fileobj=out, mode="w|", format=tarfile.PAX_FORMAT, bufsize=PIECE_BYTES
    ) as tar:
        if picked.name:
            _add(tar, picked.parent, picked.name, picked.shown)
        else:
            _add_content(tar, picked.parent, picked.shown)


def _check_kind(parent: int, name: str, path: str) -> None:
    """Refuse what a tar would leave out: nothing at all is no answer to who asked for one thing."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise NoSuchFile(f"{_short(path)} is neither a file nor a folder")
    except BaseException:
        os.close(parent)
        raise


def _spelled_out(path: str) -> bool:
    return path == INSIDE or path.startswith(f"{INSIDE}/")


def _resolve(root: int, path: str) -> list[str]:
    """Return the parts of the path without links, or raise ``LeavesWorkspace``."""
    ahead, done, links = deque(path.split("/")), list[str](), 0
    while ahead:
        part = ahead.popleft()
        if part in ("", "."):
            continue
        if len(done) >= MAX_DEPTH:
            raise TooDeep(_short(path))
        if part == "..":
            if not done:
                raise LeavesWorkspace(f"{path} leads out of the workspace")
            done.pop()
            continue
        target = _link_target(root, done, part)
        if target is None:
            done.append(part)
            continue
        links += 1
        if links > MAX_LINKS or (target.startswith("/") and not _spelled_out(target)):
            raise LeavesWorkspace(f"{path} leads out of the workspace, through the link {part}")
        if target.startswith("/"):
            target = target.removeprefix(INSIDE)
            done.clear()
        ahead.extendleft(reversed(target.split("/")))
    return done


def _link_target(root: int, folder: list[str], name: str) -> str | None:
    at = _open_folder(root, folder)
    try:
        if stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
            return os.readlink(name, dir_fd=at)
        return None
    finally:
        os.close(at)


def _short(path: str) -> str:
    return path if len(path) <= SHOWN_CHARS else f"{path[:SHOWN_CHARS]}..."


def _open_folder(root: int, parts: list[str]) -> int:
    """Return the folder opened; no part of the way may be a link."""
    at = os.dup(root)
    for part in parts:
        try:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _add(tar: tarfile.TarFile, at: int, name: str, shown: str) -> None:
    try:
        found = os.stat(name, dir_fd=at, follow_symlinks=False)
        info = tarfile.TarInfo(shown)
        info.mode, info.mtime = stat.S_IMODE(found.st_mode), int(found.st_mtime)
        if stat.S_ISLNK(found.st_mode):
            info.type, info.linkname = tarfile.SYMTYPE, os.readlink(name, dir_fd=at)
            tar.addfile(info)
        elif stat.S_ISDIR(found.st_mode):
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
            _add_folder(tar, at, name, shown)
        elif stat.S_ISREG(found.st_mode):
            _add_file(tar, info, at, name)
    except FileNotFoundError:
        return  # gone since it was listed


def _add_folder(tar: tarfile.TarFile, at: int, name: str, shown: str) -> None:
    folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
    try:
        _add_content(tar, folder, f"{shown}/")
    finally:
        os.close(folder)


def _add_content(tar: tarfile.TarFile, folder: int, prefix: str) -> None:
    if prefix.count("/") > MAX_DEPTH:
        raise TooDeep(_short(prefix))
    for name in sorted(os.listdir(folder)):
        _add(tar, folder, name, f"{prefix}{name}")


def _add_file(tar: tarfile.TarFile, info: tarfile.TarInfo, at: int, name: str) -> None:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    with os.fdopen(file, "rb") as content:
        info.size = os.fstat(file).st_size
        tar.addfile(info, _Padded(content))  # type: ignore[arg-type]


class _Padded:
    """A file that a job cuts short while it is read: the rest comes as zeros."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def read(self, size: int) -> bytes:
        return self._content.read(size).ljust(size, b"\0")
