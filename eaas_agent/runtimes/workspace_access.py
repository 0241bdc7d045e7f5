"""Makes a job's folder writable for the user that the job runs as."""

import os
from collections.abc import Callable
from pathlib import Path


def parse_user(text: str) -> tuple[int | None, int | None]:
    """Return uid and gid of ``uid[:gid]``; None for a name or nothing, root for an empty text."""
    user, _, group = text.partition(":")
    if not user:
        return 0, None
    return (
        int(user) if user.isascii() and user.isdigit() else None,
        int(group) if group.isascii() and group.isdigit() else None,
    )


def prepare_workspace(path: Path, uid: int | None, gid: int | None) -> None:
    """Give the folder and what lies in it to the user, or open it to everybody.

    The folder itself changes last, so a folder that is right already tells that its
    content is too, and costs one ``stat``. Opened when the uid is not known (a name inside
    an image) or this process may not give files away. A job's root has no capabilities:
    it can't write where only another user may. Links are never followed.
    """
    top = path.stat()
    if uid is not None and top.st_uid == uid and top.st_mode & 0o700 == 0o700:
        return
    if uid is not None and os.geteuid() == 0:
        owner, group = uid, -1 if gid is None else gid
        _each(path, lambda name, at: os.chown(name, owner, group, dir_fd=at, follow_symlinks=False))
        os.chown(path, owner, group)
        path.chmod(top.st_mode & 0o7777 | 0o700)
    elif top.st_mode & 0o777 != 0o777:
        _each(path, _open)
        path.chmod(0o777)


def _each(path: Path, change: Callable[[str, int], None]) -> None:
    for _, folders, files, at in os.fwalk(path, follow_symlinks=False):
        for name in folders + files:
            change(name, at)


def _open(name: str, at: int) -> None:
    entry = os.stat(name, dir_fd=at, follow_symlinks=False)
    kind = entry.st_mode & 0o170000
    if kind not in (0o040000, 0o100000):
        return
    extra = 0o777 if kind == 0o040000 or entry.st_mode & 0o100 else 0o666
    os.chmod(name, entry.st_mode & 0o7777 | extra, dir_fd=at)
