"""One file that was taken: what it is, and what is in it. A link or a pipe is never opened."""

import os
import stat
from typing import Final

import msgspec

from eaas.folder_file import names_no_job
from eaas.job_file import MAX_BYTES
from eaas_daemon.intake.failures import concerns_all
from eaas_daemon.intake.names import wrong_name

_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS: Final = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)

Stamp = tuple[int, int]
"""A file's size, and when its content was last changed: equal as long as nobody writes."""
TORN: Final[Stamp] = (-1, -1)
"""The stamp of a file that was written to while it was read."""


class TakenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file out of its writer's reach, and what is in it, or why it can't be read."""

    name: str
    uid: int
    """Whose it is; links of others are never followed, so this is who put it there."""
    stamp: Stamp = TORN
    data: bytes = b""
    wrong: str | None = None
    """A sentence that tells nothing of its content; no look later would find it otherwise."""
    final: bool = True
    """It stood still: what is wrong with it now stays wrong."""


def read_taken(folder: int, name: str) -> TakenFile | None:
    """Return the file, read once through one descriptor; None when it is gone.

    ``folder`` is a descriptor of a folder that nobody else may write into. Raises OSError when
    the folder's disk fails.
    """
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if wrong := _strange(found) or wrong_name(name) or names_no_job(name):
        return TakenFile(name=name, uid=found.st_uid, wrong=wrong)
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except PermissionError:
        wrong = "the controller may not read it: chmod a+r it and put it here again"
        return TakenFile(name=name, uid=found.st_uid, wrong=wrong)
    except OSError as error:
        if concerns_all(error):
            raise
        wrong = f"it can't be read: {error.strerror}"
        return TakenFile(name=name, uid=found.st_uid, wrong=wrong)
    try:
        return _content(name, descriptor)
    finally:
        os.close(descriptor)


def _content(name: str, descriptor: int) -> TakenFile:
    found = os.fstat(descriptor)
    wrong = _strange(found)
    if wrong is None and found.st_size > MAX_BYTES:
        wrong = f"it is {-(-found.st_size // 1024)} KiB; a job file is 256 KiB at most"
    if wrong is not None:
        return TakenFile(name=name, uid=found.st_uid, wrong=wrong)
    data = os.read(descriptor, MAX_BYTES + 1)
    stamp, after = stamp_of(found), stamp_of(os.fstat(descriptor))
    whole = len(data) == found.st_size and after == stamp
    return TakenFile(name=name, uid=found.st_uid, stamp=stamp if whole else TORN, data=data)


def stamp_of(found: os.stat_result) -> Stamp:
    """Return what changes when somebody writes to the file."""
    return found.st_size, found.st_mtime_ns


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
