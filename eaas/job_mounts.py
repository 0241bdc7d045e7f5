"""The mounts a job asks for: ``NAME:/path[:ro|:rw]``, and who may have a mount at all."""

import re
from collections.abc import Collection
from itertools import combinations
from typing import ClassVar, Final, NamedTuple

from eaas.field_checks import Check, items_of, text_of, wrong
from eaas.ids import NAME_PATTERN
from eaas.inner_path import read_inner_path
from eaas.job_lists import at_most, distinct, each
from eaas.spelling import shown

MAX_MOUNTS: Final = 32
WORKSPACE: Final = "/workspace"

_MOUNT: Final = re.compile(r"([^:]*):([^:]*)(?::([^:]*))?")
_SYSTEM_FOLDERS: Final = ("proc", "sys", "dev")
"""Nothing is mounted at these or below."""
_ENGINES_FOLDERS: Final = frozenset(
    {
        *("/", "/etc", "/run", "/bin", "/sbin", "/lib", "/lib64"),
        *("/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64"),
    }
)
"""An engine puts files of its own into these: in a mount they would land on the host."""


class MountAsk(NamedTuple):
    """A mount as a job asks for it."""

    name: str
    target: str
    """Where the job sees it."""
    writable: bool


class Mounts(Check, frozen=True, kw_only=True):
    """Named mounts, ``NAME:/path[:ro|:rw]``; only the node's owner ties names to paths."""

    kind: ClassVar[str] = "list"

    def read(self, value: object) -> tuple[str, ...]:
        mounts = distinct(each(at_most(MAX_MOUNTS, items_of(value, separator=None)), _read))
        targets = sorted(mount_ask(mount).target for mount in mounts)
        for outer, inner in combinations(targets, 2):
            if outer == inner:
                raise wrong(f"must not put two mounts at {outer}")
            if inner.startswith(f"{outer}/"):
                raise wrong(f"must not put a mount into another: {inner} lies in {outer}")
        return mounts

    def typed(self, value: tuple[str, ...]) -> object:
        return list(value)

    def schema(self) -> dict[str, object]:
        pattern = rf"^{NAME_PATTERN.pattern}:/[^:]+(:ro|:rw)?$"
        return {"type": "array", "items": {"type": "string", "pattern": pattern}}


def mount_ask(text: str) -> MountAsk:
    """Return what a mount that was checked asks for; without a mode it is to be written."""
    name, target, mode = (*text.split(":"), "rw")[:3]
    return MountAsk(name, target, mode != "ro")


def may_have(
    users: Collection[str], queues: Collection[str], *, user: str | None, ref: str | None
) -> bool:
    """Tell whether a mount for these users and queues is for a job of this user and queue.

    Empty is everyone. A queue is named as ``pool/queue``, or without its pool in every pool;
    ``ref`` is always the former. Nobody knows who a missing user or queue is: that is a no.
    """
    own_name = None if ref is None else ref.rpartition("/")[2]
    return (not users or user in users) and (not queues or ref in queues or own_name in queues)


def _read(value: object) -> str:
    text = text_of(value)
    if text.startswith(("/", ".", "~")):
        raise wrong(
            "only mounts that the node's owner has named exist, never folders of the host: "
            f"write NAME:/data, not {shown(text)}"
        )
    match = _MOUNT.fullmatch(text)
    if match is None:
        raise wrong(f"must be NAME:/path, NAME:/path:ro or NAME:/path:rw, not {shown(text)}")
    name, path, mode = match.groups()
    if NAME_PATTERN.fullmatch(name) is None:
        raise wrong(f"{shown(name)} can't be a mount's name: lower case, digits, . _ - inside")
    if mode not in (None, "ro", "rw"):
        raise wrong(f"must end with :ro or :rw, not {shown(':' + mode)}")
    _check_target(read_inner_path(path))
    return text


def _check_target(path: str) -> None:
    if path == WORKSPACE:
        raise wrong(f"{WORKSPACE} is the job's own folder: mount at another path")
    if path in _ENGINES_FOLDERS or path.split("/")[1] in _SYSTEM_FOLDERS:
        raise wrong(f"{path} belongs to the system: mount at another path")
