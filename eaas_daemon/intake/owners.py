"""Whose word a file in a watched folder is."""

import pwd

from eaas.errors import EaasError
from eaas.ids import UserName
from eaas_daemon.core.events import Caller


class UnknownOwner(EaasError):
    """The file's owner is nobody on this host."""

    code = "unknown_owner"


def caller_for(uid: int, fixed: str | None, service_uid: int) -> Caller:
    """Return who asks: the folder's fixed user, or the file's owner by name.

    Raises ``UnknownOwner`` for a uid without a name here: on a file server it may be anybody's.
    """
    if fixed is not None:
        return Caller(user=UserName(fixed), admin=False)
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError as error:
        raise UnknownOwner(
            f"its owner has the number {uid}, which no user of this host has; "
            "chown it, or set a user for this folder in controller.yaml"
        ) from error
    return Caller(user=UserName(name), admin=uid in (0, service_uid))
