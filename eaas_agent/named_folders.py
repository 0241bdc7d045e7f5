"""Folders of this node that jobs may ask for by name, as its owner writes them in agent.yaml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from eaas.field_checks import (
    Check,
    Mistake,
    Text,
    Truth,
    Wrong,
    below,
    items_of,
    text_of,
    wrong,
)
from eaas.ids import NAME_PATTERN
from eaas.job_lists import at_most, distinct, each
from eaas.settings.host_path import HostPath
from eaas.spelling import nearest, shown

MAX_FOLDERS: Final = 64
MAX_LISTED: Final = 256
"""Users or queues of one mount."""

USER: Final = Text(pattern=r"[^\s:/,]+", rule="a user's name", max_chars=63)
QUEUE: Final = Text(
    pattern=rf"{NAME_PATTERN.pattern}(/{NAME_PATTERN.pattern})?",
    rule="a queue, as train or pool/train",
    max_chars=127,
)


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of this node that jobs may ask for by name."""

    name: str
    path: Path
    read_only: bool = False
    users: tuple[str, ...] = ()
    """Whose jobs may have it; empty is everyone's."""
    queues: tuple[str, ...] = ()
    """Jobs of which queues may have it, as ``queue`` or ``pool/queue``; empty is all."""
    must_be_mounted: bool = False
    """It is there only while something is mounted at the path."""
    per_user: bool = False
    """A job is given the folder below the path that bears its user's name."""
    create: bool = False
    """With ``per_user``: a user's folder is made when a job asks for it."""


class NamedFolders(Check, frozen=True, kw_only=True):
    """``name: /path``, ``name: /path:ro``, or a name with keys of its own."""

    kind: ClassVar[str] = "mapping"

    def read(self, value: object) -> tuple[Mount, ...]:
        if not isinstance(value, Mapping):
            raise wrong(f"must be `name: /path` or `name: /path:ro` lines, not {shown(value)}")
        if len(value) > MAX_FOLDERS:
            raise wrong(f"must be {MAX_FOLDERS} at most, not {len(value)}")
        mounts: list[Mount] = []
        mistakes: list[Mistake] = []
        for name, entry in value.items():
            try:
                mounts.append(_mount(str(name), entry))
            except Wrong as error:
                mistakes += below(str(name), error.mistakes)
        if mistakes:
            raise Wrong(*mistakes)
        return tuple(mounts)

    def typed(self, value: tuple[Mount, ...]) -> object:
        return {mount.name: _typed(mount) for mount in value}

    def schema(self) -> dict[str, object]:
        entry = {
            "type": "object",
            "properties": {key: check.schema() for key, check in _KEYS.items()},
            "required": ["path"],
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "string"}, entry]},
        }


class _Folder(Check, frozen=True, kw_only=True):
    """A folder of this machine, but not all of it."""

    def read(self, value: object) -> Path:
        path: Path = HostPath().read(value)
        if path == Path("/"):
            raise wrong("is the whole machine: name a folder")
        if ":" in str(path):
            raise wrong(f"must not have a colon, and read_only has a key: {shown(str(path))}")
        return path

    def schema(self) -> dict[str, object]:
        return HostPath().schema()


class _Listed(Check, frozen=True, kw_only=True):
    """Several names, or one."""

    each: Text

    def read(self, value: object) -> tuple[str, ...]:
        found = distinct(each(at_most(MAX_LISTED, items_of(value)), self.each.read))
        if not found:
            raise wrong("names nobody: leave it out to allow all")
        return found

    def schema(self) -> dict[str, object]:
        one = self.each.schema()
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


_KEYS: Final[Mapping[str, Check]] = {
    "path": _Folder(),
    "read_only": Truth(),
    "users": _Listed(each=USER),
    "queues": _Listed(each=QUEUE),
    "must_be_mounted": Truth(),
    "per_user": Truth(),
    "create": Truth(),
}
_ELSEWHERE: Final[Mapping[str, str]] = {"ro": "read_only", "user": "users", "queue": "queues"}


def _mount(name: str, entry: object) -> Mount:
    if NAME_PATTERN.fullmatch(name) is None:
        raise Wrong(Mistake("can't be a mount's name: lower case, digits, . _ -", on_key=True))
    if isinstance(entry, Mapping):
        return Mount(name=name, **_keys(entry))
    path, _, mode = text_of(entry).partition(":")
    if mode not in ("", "ro", "rw"):
        raise wrong(f"must end with :ro or :rw, not {shown(':' + mode)}")
    return Mount(name=name, path=_Folder().read(path), read_only=mode == "ro")


def _keys(entry: Mapping[object, object]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for key, value in entry.items():
        try:
            values[str(key)] = _check(str(key)).read(value)
        except Wrong as error:
            mistakes += below(str(key), error.mistakes)
    if "path" not in entry:
        mistakes.append(Mistake("needs a path"))
    if values.get("create") and not values.get("per_user", "per_user" in entry):
        mistakes.append(Mistake("only a per_user mount makes folders", path=("create",)))
    if values.get("create") and values.get("read_only"):
        mistakes.append(Mistake("nobody could fill a folder that is read-only", path=("create",)))
    if mistakes:
        raise Wrong(*mistakes)
    return values


def _check(key: str) -> Check:
    if key not in _KEYS:
        near = nearest(key, _KEYS, aliases=_ELSEWHERE)
        raise Wrong(Mistake("is no key of a mount", near, on_key=True))
    return _KEYS[key]


def _typed(mount: Mount) -> object:
    """Return the entry the short way where that says all."""
    fields = msgspec.structs.asdict(mount)
    path = str(fields.pop("path"))
    said = {key: value for key, value in fields.items() if key != "name" and value}
    if set(said) <= {"read_only"}:
        return f"{path}{':ro' * mount.read_only}"
    lists = {key: list(value) for key, value in said.items() if isinstance(value, tuple)}
    return {"path": path, **said, **lists}
