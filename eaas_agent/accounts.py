"""Who a person is on this node: the account of that name, as this host's own user database says."""

import os
import pwd

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A user of this node."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    """Further groups the user is in."""


def account_of(person: str) -> Account | None:
    """Return the person's account, None if they have none here.

    A bare number is a user whom their own system has no name for. May ask a directory service,
    and so may take long.
    """
    try:
        entry = pwd.getpwnam(person)
    except KeyError:
        if person.isascii() and person.isdigit():
            return Account(uid=int(person), gid=primary_group(int(person)))
        return None
    groups = {*os.getgrouplist(entry.pw_name, entry.pw_gid)} - {entry.pw_gid}
    return Account(uid=entry.pw_uid, gid=entry.pw_gid, groups=tuple(sorted(groups)))


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
