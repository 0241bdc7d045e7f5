"""Checks for the single values only a job has: its image, command, folder, user, indices."""

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from eaas.field_checks import Check, items_of, text_of, wrong
from eaas.inner_path import read_inner_path
from eaas.job_array import JobArray, Span, array_of
from eaas.job_lists import each
from eaas.spelling import shown

COMMAND_BYTES: Final = 64 * 1024
MAX_TASKS: Final = 10_000
MAX_SPANS: Final = 256
"""Every task keeps them all, so that they must not be long."""

PACK_PATTERN: Final = r"sha256:[0-9a-f]{64}"
"""How a packed folder is named: by the hash of its content."""

_PATH_COMPONENT: Final = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"
_REGISTRY: Final = rf"(localhost|{_HOST}:[0-9]{{1,5}}|[A-Za-z0-9-]+\.{_HOST}(:[0-9]{{1,5}})?)"
IMAGE_PATTERN: Final = (
    rf"({_REGISTRY}/)?{_PATH_COMPONENT}(/{_PATH_COMPONENT})*"
    r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
_SPAN: Final = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6})(?::([0-9]{1,6}))?)?")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")


class Image(Check, frozen=True, kw_only=True):
    """A container image as registries name it: ``[host/]path[:tag][@digest]``."""

    kind: ClassVar[str] = "text"

    def read(self, value: object) -> str:
        text = text_of(value)
        if len(text) > 255:
            raise wrong(f"must be 255 characters at most, not {len(text)}")
        if re.fullmatch(IMAGE_PATTERN, text):
            return text
        tries = (text.strip(), text.strip().lower(), re.sub(r"^\w+://", "", text.strip()))
        near = next((t for t in tries if re.fullmatch(IMAGE_PATTERN, t)), None)
        raise wrong(f"must be an image such as pytorch/pytorch:latest, not {shown(text)}", near)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "pattern": f"^{IMAGE_PATTERN}$", "maxLength": 255}


class Command(Check, frozen=True, kw_only=True):
    """What runs: text goes through ``/bin/sh -c``, a list is executed as it stands."""

    kind: ClassVar[str] = "command"

    def read(self, value: object) -> str | tuple[str, ...]:
        if isinstance(value, list | tuple):
            return self._argv(value)
        text = text_of(value)
        if not text.strip():
            raise wrong("must not be empty")
        _check_size(len(text.encode()))
        return text

    def _argv(self, value: Sequence[object]) -> tuple[str, ...]:
        argv = each(value, text_of)
        if not argv or not argv[0].strip():
            raise wrong("must begin with the program to run")
        _check_size(sum(len(part.encode()) + 1 for part in argv))
        return argv

    def typed(self, value: str | tuple[str, ...]) -> object:
        return value if isinstance(value, str) else list(value)

    def schema(self) -> dict[str, object]:
        item = {"type": ["string", "number"]}
        return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]}


class Folder(Check, frozen=True, kw_only=True):
    """A folder to pack, or what it became: the hash of its content."""

    kind: ClassVar[str] = "folder"

    def read(self, value: object) -> str:
        text = text_of(value)
        if not text.strip() or len(text) > 4096 or _UNPRINTABLE.search(text):
            raise wrong(f"must be the path of a folder, not {shown(text)}")
        if text.startswith("sha256:") and re.fullmatch(PACK_PATTERN, text) is None:
            raise wrong("must be sha256: and 64 digits of 0-9a-f, or the path of a folder")
        return text

    def schema(self) -> dict[str, object]:
        return {"type": "string", "minLength": 1}


class Workdir(Check, frozen=True, kw_only=True):
    """A folder inside the job's own view of the file system."""

    kind: ClassVar[str] = "text"

    def read(self, value: object) -> str:
        return read_inner_path(text_of(value))

    def schema(self) -> dict[str, object]:
        return {"type": "string", "pattern": "^/"}


class RunAs(Check, frozen=True, kw_only=True):
    """A numeric user id, with or without a group id."""

    kind: ClassVar[str] = "text"

    def read(self, value: object) -> str:
        text = text_of(value)
        match = re.fullmatch(r"(0|[1-9][0-9]{0,9})(?::(0|[1-9][0-9]{0,9}))?", text)
        if match is None or any(int(part) > 0x7FFFFFFF for part in match.groups("0")):
            raise wrong(
                'must be numbers, "1000" or "1000:1000", '
                f"since names differ from machine to machine, not {shown(text)}"
            )
        return text

    def schema(self) -> dict[str, object]:
        return {"type": ["string", "integer"], "pattern": "^[0-9]+(:[0-9]+)?$", "minimum": 0}


class Array(Check, frozen=True, kw_only=True):
    """The indices of an array job, typed as ``0-9,12`` or ``0-10:2``, and after a ``%`` how many of
    its tasks may run at once.
    """

    kind: ClassVar[str] = "array"

    def read(self, value: object) -> JobArray:
        if isinstance(value, int):
            near = f"0-{value - 1}" if value > 1 else None
            raise wrong(f"must be indices such as 0-9 or 0-9,12, not {shown(value)}", near)
        listed, limit = _cut_limit(value)
        spans = each(items_of(listed), _span)
        if (count := sum(len(span.indices) for span in spans)) > MAX_TASKS:
            raise wrong(f"must be {MAX_TASKS} indices at most, not {count}: submit several arrays")
        found = array_of((index for span in spans for index in span.indices), limit)
        if len(found.spans) > MAX_SPANS:
            raise wrong(
                f"must be {MAX_SPANS} pieces such as 0-9 or 12 at most, not {len(found.spans)}: "
                "number your cases from 0 on, and look up what belongs to a number in the job"
            )
        return found

    def typed(self, value: JobArray) -> object:
        return value.text

    def schema(self) -> dict[str, object]:
        span = "[0-9]{1,6}(-[0-9]{1,6}(:[1-9][0-9]{0,5})?)?"
        item = {"type": ["string", "integer"], "pattern": f"^ *{span} *$", "minimum": 0}
        text = {"type": "string", "pattern": f"^ *{span} *(, *{span} *)*(% *[1-9][0-9]* *)?$"}
        return {"anyOf": [text, {"type": "array", "items": item, "minItems": 1}]}


def _check_size(size_bytes: int) -> None:
    if size_bytes > COMMAND_BYTES:
        raise wrong(
            f"must be {COMMAND_BYTES // 1024} KiB at most, not {-(-size_bytes // 1024)} KiB: "
            "put it in a script and send that along using `with`"
        )


def _cut_limit(value: object) -> tuple[object, int | None]:
    """Return the indices as typed, and how many may run at once where that is said."""
    if not isinstance(value, str) or "%" not in value:
        return value, None
    listed, _, text = value.partition("%")
    limit = text.strip()
    if not re.fullmatch(r"[0-9]{1,9}", limit) or int(limit) < 1:
        raise wrong(
            f"must say after % how many tasks may run at once, such as 0-99%8, not {shown(value)}"
        )
    return listed, int(limit)


def _span(value: object) -> Span:
    match = _SPAN.fullmatch(text_of(value).strip())
    if match is None:
        raise wrong(f"must be indices such as 0-9 or 0-9,12, not {shown(value)}")
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if last < first:
        raise wrong(f"must go upwards, not {shown(value)}", f"{last}-{first}")
    if step < 1:
        raise wrong(f"must go on in steps of 1 or more, not {shown(value)}")
    return Span(first, last, step)
