"""What this machine says of whoever opened a connection: a user on its socket, or an address."""

import grp
import os
import pwd
import socket
import struct
from collections.abc import Collection
from typing import Final, Literal

from eaas.ids import UserName
from eaas_daemon.core.credential import PersonRole

_PEER: Final = struct.Struct("3i")
"""pid, uid and gid of whoever opened the connection, as the kernel saw them."""

ADMINS: Final = "mini-eaas-admin"
MEMBERS: Final = "mini-eaas"
"""Groups of this host."""

Members = Literal["everybody", "group"]
"""Who of this host's users is a member: all, or only who is in the group ``mini-eaas``."""


def uid_behind(peer: socket.socket) -> int:
    """Return which user opened a connection on a unix socket."""
    _, uid, _ = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return int(uid)


def role_of(uid: int, service_uid: int, members: Members) -> PersonRole | None:
    """Return what a user of this host may do; None is nothing. This may ask a directory."""
    if uid in (0, service_uid):
        return "admin"
    groups = _groups_of(uid)
    if ADMINS in groups:
        return "admin"
    return "member" if members == "everybody" or MEMBERS in groups else None


def user_name(uid: int) -> UserName:
    """Return the name the system has for the uid, or the number when it has none."""
    try:
        return UserName(pwd.getpwuid(uid).pw_name)
    except KeyError:
        return UserName(str(uid))


def _groups_of(uid: int) -> Collection[str]:
    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        return ()
    names = []
    for gid in os.getgrouplist(user.pw_name, user.pw_gid):
        try:
            names.append(grp.getgrgid(gid).gr_name)
        except KeyError:
            continue
    return names
