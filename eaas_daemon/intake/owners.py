"""Whose word a file in a watched folder is."""

import grp
import os
import pwd
import shlex
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.ids import UserName
from eaas_daemon.core.events import Caller
from eaas_daemon.intake.names import ACCEPTED, REFUSED

EVERYBODY: Final = "everybody"
_GROUP: Final = "group "


class UnknownOwner(EaasError):
    """The file's owner is nobody on this host."""

    code = "unknown_owner"


def open_to(folder: os.stat_result) -> str:
    """Return who may put files into a folder with these modes, as people say it."""
    if folder.st_mode & stat.S_IWOTH:
        return EVERYBODY
    names = [_user_name(folder.st_uid)]
    if folder.st_mode & stat.S_IWGRP and folder.st_gid != 0:
        names.append(f"{_GROUP}{_group_name(folder.st_gid)}")
    return ", ".join(names)


def lets_others_in(opened: str | None) -> bool:
    """Tell whether what ``open_to`` returned is more than the controller's user."""
    return opened is not None and (opened == EVERYBODY or _GROUP in opened)


def let_in(path: Path) -> str:
    """Return the command that lets a group put files into the folder and read the answers."""
    quoted = (shlex.quote(str(each)) for each in (path, path / ACCEPTED, path / REFUSED))
    return f"sudo chgrp GROUP {' '.join(quoted)}"


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def callers_for(
    uids: Iterable[int], fixed: str | None, service_uid: int, *, private: bool
) -> Mapping[int, Caller | UnknownOwner]:
    """Return who asks, for each owner of files; this may ask a directory and takes its time."""
    return {uid: _caller_for(uid, fixed, service_uid, private=private) for uid in set(uids)}


def _caller_for(
    uid: int, fixed: str | None, service_uid: int, *, private: bool
) -> Caller | UnknownOwner:
    """Return the folder's fixed user, or the file's owner by name.

    A uid without a name here may be anybody's on a file server. Root and the controller's own
    user are admins only where nobody else could have put their file: a file of root is easily
    made by whoever is root in a container, and moved by whoever owns the folder around it.
    """
    if fixed is not None:
        return Caller(user=UserName(fixed), role="member")
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        return UnknownOwner(
            f"its owner has the number {uid}, which no user of this host has; "
            "chown it, or set a user for this folder in controller.yaml"
        )
    is_admin = private and uid in (0, service_uid)
    return Caller(user=UserName(name), role="admin" if is_admin else "member")
