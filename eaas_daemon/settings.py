"""What can be set of the controller, in controller.yaml, by variables and on its command line."""

import ipaddress
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from eaas.field_checks import (
    Check,
    Choice,
    Mistake,
    Text,
    Truth,
    Whole,
    Wrong,
    below,
    text_of,
    wrong,
)
from eaas.job_lists import each
from eaas.settings.host_path import HostPath
from eaas.settings.keys import LOG_KEYS, NAME, Key
from eaas.spelling import nearest, shown
from eaas_daemon.intake.names import OWN_FOLDERS, is_meant
from eaas_daemon.intake.settings import FolderSettings

PROGRAM: Final = "controller"

MOST_MIB: Final = 1 << 30
MOST_DAYS: Final = 36500

ALWAYS: Final = "always"
MEMBERS: Final = ("everybody", "group")


class Days(Check, frozen=True, kw_only=True):
    """A number of days, or ``always``."""

    kind: ClassVar[str] = "days"

    def read(self, value: object) -> int | None:
        if value in (ALWAYS, None):
            return None
        try:
            return Whole(minimum=1, maximum=MOST_DAYS).read(value)
        except Wrong:
            raise wrong(
                f"must be a number of days from 1 on, or {ALWAYS}, not {shown(value)}"
            ) from None

    def typed(self, value: int | None) -> object:
        return ALWAYS if value is None else value

    def schema(self) -> dict[str, object]:
        return {"oneOf": [{"type": "integer", "minimum": 1}, {"const": ALWAYS}]}


_FOLDER_KEYS: Final[Mapping[str, Check]] = {
    "path": HostPath(),
    "pool": NAME,
    "queue": NAME,
    "user": Text(pattern=r"[^\s:/]+", rule="a user's name", max_chars=63),
    "log": Truth(),
    "keep_days": Days(),
}


class ListenAddress(Check, frozen=True, kw_only=True):
    """An address of this machine, or all of them: ``0.0.0.0`` or ``::``."""

    kind: ClassVar[str] = "address"

    def read(self, value: object) -> str:
        text = text_of(value)
        try:
            return str(ipaddress.ip_address("127.0.0.1" if text == "localhost" else text))
        except ValueError:
            raise wrong(
                f"must be an address such as 127.0.0.1, or 0.0.0.0 for all, not {shown(text)}"
            ) from None

    def schema(self) -> dict[str, object]:
        return {"type": "string"}


HOST_NAME: Final = Text(pattern=r"[A-Za-z0-9.:_-]+", rule="a host name", max_chars=253)


class HostNames(Check, frozen=True, kw_only=True):
    """Names and addresses by which others know this machine."""

    kind: ClassVar[str] = "list"

    def read(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise wrong(f"must be a list of names and addresses, not {shown(value)}")
        return each(value, HOST_NAME.read)

    def typed(self, value: tuple[str, ...]) -> object:
        return list(value)

    def schema(self) -> dict[str, object]:
        return {"type": "array", "items": {"type": "string"}}


class Folders(Check, frozen=True, kw_only=True):
    """Watched folders: each a path, or ``path:`` with what its jobs get that say nothing."""

    kind: ClassVar[str] = "list"

    def read(self, value: object) -> tuple[FolderSettings, ...]:
        if not isinstance(value, list | tuple):
            raise wrong(f"must be a list of `- path: /srv/jobs` entries, not {shown(value)}")
        folders = each(value, _folder)
        _refuse_in_each_others_way(folders)
        return folders

    def typed(self, value: tuple[FolderSettings, ...]) -> object:
        return [_folder_typed(settings) for settings in value]

    def schema(self) -> dict[str, object]:
        return {"type": "array"}


def _folder(value: object) -> FolderSettings:
    fields = {"path": value} if isinstance(value, str) else value
    if not isinstance(fields, Mapping):
        raise wrong(f"must be a path, or `path: /srv/jobs` and more keys, not {shown(value)}")
    values: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for key, inner in fields.items():
        try:
            values[key] = _check(key).read(inner)
        except Wrong as error:
            mistakes += below(key, error.mistakes)
    if "path" not in fields:
        mistakes.append(Mistake("needs a path"))
    if mistakes:
        raise Wrong(*mistakes)
    return FolderSettings(**values)


def _refuse_in_each_others_way(folders: Sequence[FolderSettings]) -> None:
    paths = [folder.path for folder in folders]
    mistakes: list[Mistake] = []
    for index, path in enumerate(paths):
        if (message := _in_the_way(path, paths, before=index)) is not None:
            mistakes += below(index, below("path", wrong(message).mistakes))
    if mistakes:
        raise Wrong(*mistakes)


def _in_the_way(path: Path, others: Sequence[Path], *, before: int) -> str | None:
    """Return why the folder can't be watched beside the others; ``before``: which come earlier."""
    if path in others[:before]:
        return f"is the same folder as in entry {others.index(path) + 1}"
    for other in others:
        inside = path.relative_to(other).parts if other in path.parents else ()
        if inside and inside[0] in OWN_FOLDERS:
            return f"lies in {inside[0]}/, which belongs to the watched folder {other}"
        if inside and is_meant(inside[0]):
            return f"lies in {other}, which takes everything called like {inside[0]} for a job file"
    return None


def _folder_typed(settings: FolderSettings) -> dict[str, object]:
    """Return the entry without what is at its default."""
    plain = msgspec.structs.asdict(FolderSettings(path=settings.path))
    given = msgspec.structs.asdict(settings)
    return {
        key: check.typed(given[key])
        for key, check in _FOLDER_KEYS.items()
        if key == "path" or given[key] != plain[key]
    }


def _check(key: str) -> Check:
    check = _FOLDER_KEYS.get(key)
    if check is None:
        near = nearest(key, _FOLDER_KEYS)
        others = "" if near else f"; there are {', '.join(_FOLDER_KEYS)}"
        raise Wrong(Mistake(f"a watched folder has no such key{others}", near, on_key=True))
    return check


KEYS: Final = (
    Key(
        name="listen",
        check=ListenAddress(),
        about="the address to listen on beside the socket; 0.0.0.0 is all of them",
        metavar="ADDRESS",
        default="127.0.0.1",
    ),
    Key(
        name="port",
        check=Whole(minimum=0, maximum=65535),
        about="0 is any free one (default: 7470, or a free one if that is taken)",
        metavar="N",
    ),
    Key(name="names", check=HostNames(), default=[], structured=True),
    Key(
        name="insecure",
        check=Truth(),
        about="no TLS, even for other machines: whoever listens in has every token",
        metavar="",
        default=False,
    ),
    Key(name="members", check=Choice(choices=MEMBERS), default="everybody"),
    Key(name="log_budget_mib", check=Whole(minimum=1, maximum=MOST_MIB), default=20480),
    Key(name="journal_days", check=Whole(minimum=1, maximum=MOST_DAYS), default=90),
    Key(name="folders", check=Folders(), default=[], structured=True),
    *LOG_KEYS,
)
