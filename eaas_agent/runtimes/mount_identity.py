"""As whom a container with mounts runs: as who submitted it, and as nobody else.

What a container writes into a mount, it writes on the host. With a user of its own choice a job
could read what a colleague keeps there for themselves, and as root it could leave a program behind
that makes anybody root who starts it on the host.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from eaas_agent.accounts import Account, account_of
from eaas_agent.runtimes.docker_config import WORKSPACE
from eaas_agent.runtimes.docker_facts import EngineFacts
from eaas_agent.runtimes.port import RunOrder, StartFailed

NOBODY: Final = Account(uid=65534, gid=65534)
"""Whoever has no account on this node reads what everybody may."""


def as_submitter(order: RunOrder, facts: EngineFacts, *, my_uid: int) -> RunOrder:
    """Return the order as it has to run because of its mounts; raise ``StartFailed``.

    May ask the node's user database, and so may take long. Orders of root, and of the agent's own
    user, run as they say; so do all on an engine without root, whose root is that user.
    """
    if not order.mounts or order.user is None or facts.rootless:
        return order
    account = account_of(order.user) or NOBODY
    if account.uid in (0, my_uid):
        return order
    if order.run_as is not None and not _is(order.run_as, account):
        raise StartFailed(
            f"run_as: a job with mounts runs as who submitted it, and {order.user} is "
            f"{account.uid}:{account.gid} here; leave run_as out",
            code="bad_user",
            fault="user",
        )
    return structs.replace(
        order,
        run_as=f"{account.uid}:{account.gid}",
        groups=account.groups,
        env={**_home_of(order.user), **order.env},
    )


def _is(run_as: str, account: Account) -> bool:
    uid, colon, gid = run_as.partition(":")
    if not uid.isdecimal() or int(uid) != account.uid:
        return False
    return not colon or gid == str(account.gid)


def _home_of(user: str) -> Mapping[str, str]:
    """Return what programs ask the image's user database for, which does not know this user."""
    return {"HOME": WORKSPACE, "USER": user, "LOGNAME": user}
