"""Folders of single users in a folder of this node: ``/srv/homes/ada``."""

import os
import re
import stat
from contextlib import suppress
from typing import Final

from eaas_agent.accounts import Account, account_of, name_of
from eaas_agent.safe_folder import OpenFolder, Unfit, open_below

MAX_TOLD: Final = 500
"""Of more people than this the controller is not told; a job finds out when it starts."""

_FOLDER_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+-]*")


class NoHome(Unfit):
    """The user has no folder there."""


def people_in(homes: OpenFolder) -> tuple[str, ...] | None:
    """Return who has a folder of their own there, None where that can't be told."""
    try:
        listing = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=homes.fd)
    except PermissionError:
        return None
    try:
        names = sorted(filter(_FOLDER_NAME.fullmatch, os.listdir(listing)))
        if len(names) > MAX_TOLD:
            return None
        return tuple(name for name in names if _is_own(name, listing))
    finally:
        os.close(listing)


def _is_own(name: str, listing: int) -> bool:
    try:
        found = os.stat(name, dir_fd=listing, follow_symlinks=False)
    except OSError:
        return False
    owner = name_of(found.st_uid)
    return stat.S_ISDIR(found.st_mode) and name in (owner, str(found.st_uid))


def home_of(user: str, homes: OpenFolder, *, create: bool) -> str:
    """Return the name of the user's folder, made if it may be; raise ``NoHome`` without one."""
    path = homes.path / user
    if _FOLDER_NAME.fullmatch(user) is None or (account := account_of(user)) is None:
        raise NoHome(f"{user} is no user of this node, so there is no folder of theirs")
    if create:
        _make(user, account, homes)
    try:
        fd = open_below(homes.fd, user, path)
    except Unfit as error:
        raise NoHome(error.sentence) from error
    try:
        owner = os.fstat(fd).st_uid
    finally:
        os.close(fd)
    if owner != account.uid:
        raise NoHome(f"{path} belongs to {name_of(owner)} and not to {user}")
    return user


def _make(user: str, account: Account, homes: OpenFolder) -> None:
    if os.geteuid() not in (0, account.uid):
        return  # what is not there already, only root could give to its user
    with suppress(FileExistsError):
        os.mkdir(user, 0o700, dir_fd=homes.fd)
        try:
            os.chown(user, account.uid, account.gid, dir_fd=homes.fd, follow_symlinks=False)
        except OSError:
            os.rmdir(user, dir_fd=homes.fd)
            raise
