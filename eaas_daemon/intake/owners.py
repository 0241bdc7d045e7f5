"""Whose word a file in a watched folder is."""

import pwd
from collections.abc import Iterable, Mapping

from eaas.errors import EaasError
from eaas.ids import UserName
from eaas_daemon.core.events import Caller


class UnknownOwner(EaasError):
    """The file's owner is nobody on this host."""

    code = "unknown_owner"


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
