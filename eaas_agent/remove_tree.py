"""Deletes a folder however it was made: a job may nest folders deeper than any stack goes."""

import contextlib
import os
from pathlib import Path
from typing import Final

from eaas.ids import new_uid

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_tree(path: Path) -> None:
    """Delete the folder and all in it; what can't be deleted stays, and so do the folders above it.

    Every folder is moved to the top before it is emptied, so depth costs neither stack nor file
    descriptors, and a deletion that was cut short can be taken up again. Links are never followed.
    """
    try:
        top = os.open(path, _FOLDER)
    except OSError:
        return
    try:
        left: set[str] = set()
        while names := set(os.listdir(top)) - left:
            left |= {name for name in names if not _remove(top, name)}
    finally:
        os.close(top)
    with contextlib.suppress(OSError):
        path.rmdir()


def _remove(top: int, name: str) -> bool:
    """Delete what lies at the top, folders within it brought there first; tell whether it went."""
    try:
        os.unlink(name, dir_fd=top)
    except IsADirectoryError:
        return _remove_folder(top, name)
    except OSError:
        return False
    return True


def _remove_folder(top: int, name: str) -> bool:
    try:
        folder = _open(top, name)
    except OSError:
        return False
    try:
        if os.geteuid() != 0:
            os.fchmod(folder, 0o700)
        for inner in os.listdir(folder):
            try:
                os.unlink(inner, dir_fd=folder)
            except IsADirectoryError:
                _bring_up(folder, inner, top)
        os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def _open(top: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=top)
    except PermissionError:  # never root's, so the mode that is given here is its own folder's
        os.chmod(name, 0o700, dir_fd=top)
        return os.open(name, _FOLDER, dir_fd=top)


def _bring_up(folder: int, name: str, top: int) -> None:
    fresh = new_uid()
    try:
        os.rename(name, fresh, src_dir_fd=folder, dst_dir_fd=top)
    except PermissionError:  # who moves a folder must be able to write into it
        os.chmod(name, 0o700, dir_fd=folder)
        os.rename(name, fresh, src_dir_fd=folder, dst_dir_fd=top)
