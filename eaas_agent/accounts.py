"""Who a person is on this node: the account of that name, as this host's own user database says."""

import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

NSSWITCH: Final = Path("/etc/nsswitch.conf")
LOCAL: Final = frozenset({"files", "compat", "systemd"})
"""Sources of accounts that are this host's own."""
MAX_LISTED: Final = 1000
MAX_UID: Final = 2**32 - 2
"""The next one means nobody at all: a file given to it stays who it was."""

People = Callable[[], tuple[str, ...] | None]
"""The names of those as whom plain processes can run here; None: that is known only when one
comes."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A user of this node."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    """Further groups the user is in."""


def account_of(person: str) -> Account | None:
    """Return the person's account, None if they have none here.

    A bare number is a user whom their own system has no name for; root always has one, and whoever
    is called ``0`` is somebody else. May ask a directory service, and so may take long.
    """
    try:
        entry = pwd.getpwnam(person)
    except KeyError:
        uid = int(person) if person.isascii() and person.isdigit() else 0
        return Account(uid=uid, gid=primary_group(uid)) if 0 < uid <= MAX_UID else None
    groups = {*os.getgrouplist(entry.pw_name, entry.pw_gid)} - {entry.pw_gid}
    return Account(uid=entry.pw_uid, gid=entry.pw_gid, groups=tuple(sorted(groups)))


def people_of(my_uid: int, nsswitch: Path = NSSWITCH) -> People:
    """Return what tells as whom an agent of this user can run plain processes, by name.

    Root can become everybody who has an account; they are listed anew each time, but only where
    this host's own files are all there is: a directory may be large and slow, and need not list.
    Anybody else can only be themselves, and takes root's jobs.
    """
    if my_uid != 0:
        names = tuple(sorted({name_of(0), name_of(my_uid)}))
        return lambda: names

    def listed() -> tuple[str, ...] | None:
        if not _is_all_local(nsswitch):
            return None
        found = {entry.pw_name for entry in pwd.getpwall()}
        return tuple(sorted(found)) if len(found) <= MAX_LISTED else None

    return listed


def _is_all_local(nsswitch: Path) -> bool:
    """Tell whether every account of this host stands in its own files."""
    try:
        lines = nsswitch.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    for line in lines:
        name, _, sources = line.partition("#")[0].partition(":")
        if name.strip() == "passwd":
            return {word for word in sources.split() if word[0] not in "[!"} <= LOCAL
    return True


def primary_group(uid: int) -> int:
    """Return the group of the user, which has the user's own number where nobody knows better."""
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return uid


def name_of(uid: int) -> str:
    """Return the user's name, or the number in words."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
