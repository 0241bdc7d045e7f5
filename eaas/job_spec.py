"""What a job asks for: the checked value, and the way between it and what people type."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Protocol

import msgspec

from eaas.errors import FieldError, Invalid
from eaas.field_checks import Mistake, Path, Wrong, below, wrong
from eaas.job_array import JobArray, ranks_of
from eaas.job_fields import ALIASES, FIELDS
from eaas.job_values import PACK_PATTERN
from eaas.problem import mistake_text
from eaas.restart import Restart
from eaas.spelling import nearest, shown

MAX_MISTAKES: Final = 100
"""How many mistakes are listed; the rest is only counted."""

_PACK: Final = re.compile(PACK_PATTERN)
_SIMPLE_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_OWNER_WORDS: Final = ("user", "owner", "username")
_USER_ID: Final = re.compile(r"[0-9]+(:[0-9]+)?")
"""Who writes this means the user inside the container: ``run_as``."""
_READERS: Final = {key: (field.attribute, field.check.read) for key, field in FIELDS.items()}


class JobSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a person asked for, checked. What they left out has its default."""

    name: str | None = None
    pool: str | None = None
    """None is for the controller to settle: the only pool, else ``default``."""
    queue: str = "default"
    """The queue's own name, without the pool."""
    image: str | None = None
    """None runs on ``process`` nodes only, anything else on ``docker`` nodes only."""
    command: str | tuple[str, ...] | None = None
    """Text goes through ``/bin/sh -c``; None leaves it to the image."""
    gpus: int = 0
    gpu_type: str | None = None
    gpu_memory_mib: int | None = None
    """Of each card; with ``share`` the part of the one card."""
    share: bool = False
    cpus: float | None = None
    memory_mib: int | None = None
    shm_mib: int | None = None
    env: dict[str, str] = {}
    mounts: tuple[str, ...] = ()
    """``NAME:/path`` with ``:ro`` or ``:rw`` where it was typed."""
    with_folder: str | None = None
    """A folder still to be packed, as typed; a controller never accepts one."""
    pack: str | None = None
    """The packed folder's content hash, ``sha256:...``. Never together with ``with_folder``."""
    workdir: str | None = None
    """None is the workspace."""
    run_as: str | None = None
    timeout_s: float | None = None
    """For each attempt."""
    restart: Restart = Restart()
    priority: int = 0
    after: tuple[int | str, ...] = ()
    """Numbers of jobs and arrays; single tasks of arrays as ``42[7]``."""
    after_failed: Literal["fail", "wait"] = "fail"
    not_before: float | None = None
    """Unix seconds."""
    array: JobArray = JobArray()
    """Empty for a job that is no array."""
    num_nodes: int = 1
    nodes: tuple[str, ...] = ()
    labels: dict[str, str] = {}

    @property
    def parts(self) -> JobArray:
        """Return the indices of its tasks, or of its ranks; empty for what is one job alone."""
        return self.array or ranks_of(self.num_nodes)


class Locate(Protocol):
    """Knows where in a file something stands."""

    def __call__(self, path: Path, /, *, key: bool = False) -> tuple[int, int] | None:
        """Return line and column, 1-based, of the value at the path or of its key."""


def nowhere(path: Path, /, *, key: bool = False) -> tuple[int, int] | None:
    """Return None: what was typed didn't come from a file."""


def read_spec(fields: Mapping[str, object], locate: Locate = nowhere) -> JobSpec:
    """Return what the fields ask for, or raise Invalid with every mistake in them.

    The fields are those of YAML and JSON; a flag's or a form's text is read the same way.
    """
    values: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for key, value in fields.items():
        reader = _READERS.get(key)
        if reader is None:
            mistakes.append(_unknown_key(key, value, guess=len(mistakes) < MAX_MISTAKES))
            continue
        attribute, read = reader
        try:
            if value is None:
                raise wrong("has no value: write one, or leave the key out")
            values[attribute] = read(value)
        except Wrong as error:
            mistakes += below(key, error.mistakes)
    meant = {mistake.suggestion for mistake in mistakes if mistake.on_key}
    if not {"image", "command"} & {*fields, *meant}:
        mistakes.append(Mistake("a job needs an image, a command, or both"))
    mistakes += _disagreements(values, fields)
    if mistakes:
        raise invalid([field_error(mistake, locate) for mistake in mistakes])
    _settle(values)
    return JobSpec(**values)


def spec_as_typed(spec: JobSpec) -> dict[str, object]:
    """Return the spec in the job file's own words, without what is at its default.

    ``read_spec`` makes the same spec of it. The values are plain JSON and YAML.
    """
    typed: dict[str, object] = {}
    for key, field in FIELDS.items():
        value = getattr(spec, field.attribute)
        if key == "with" and spec.pack is not None:
            value = spec.pack
        if value != field.default:
            typed[key] = field.check.typed(value)
    return typed


def field_error(mistake: Mistake, locate: Locate = nowhere) -> FieldError:
    """Return the mistake for people: its field named, its place in the file found."""
    place = locate(mistake.path, key=mistake.on_key)
    line, column = place if place is not None else (None, None)
    field = _dotted(mistake.path)
    return FieldError(
        field=field,
        message=f"{field}: {mistake.message}" if field else mistake.message,
        line=line,
        column=column,
        suggestion=mistake.suggestion,
    )


def invalid(errors: Sequence[FieldError], where: str = "") -> Invalid:
    """Return the refusal that lists these mistakes; ``where`` names the file."""
    listed = tuple(errors[:MAX_MISTAKES])
    if len(errors) > MAX_MISTAKES:
        listed += (FieldError(field="", message=f"and more: these are the first {MAX_MISTAKES}"),)
    sentence = "; ".join(map(mistake_text, listed))
    return Invalid(listed, f"{where}: {sentence}" if where else sentence, where=where)


def _unknown_key(key: str, value: object, *, guess: bool) -> Mistake:
    if key.strip().lower() in _OWNER_WORDS and _USER_ID.fullmatch(str(value)) is None:
        message = (
            "a job is its submitter's, in a watched folder the file's owner's or whose the "
            "folder's settings say: leave this out"
        )
        return Mistake(message, path=(key,), on_key=True)
    near = nearest(key, FIELDS, aliases=ALIASES) if guess else None
    return Mistake("no such key in a job", near, (key,), on_key=True)


def _disagreements(values: Mapping[str, Any], fields: Mapping[str, object]) -> list[Mistake]:
    """Return what is wrong between fields that are right by themselves."""
    found: list[Mistake] = []
    if "gpus" in values or "gpus" not in fields:
        found += _without_cards(values) if not values.get("gpus") else _sharing(values, fields)
    pool, slash, _ = values.get("queue", "").rpartition("/")
    if slash and values.get("pool", pool) != pool:
        message = f"names the pool {pool}, but pool says {values['pool']}"
        found.append(Mistake(message, path=("queue",)))
    if values.get("array") and values.get("num_nodes", 1) > 1:
        message = "every task of an array runs on one node: leave out array or num_nodes"
        found.append(Mistake(message, path=("num_nodes",)))
    if len(values.get("nodes", ())) not in range(1, values.get("num_nodes", 1)):
        return found
    message = f"asks for {values['num_nodes']} nodes, but nodes lists {len(values['nodes'])}"
    return [*found, Mistake(message, path=("num_nodes",))]


def _without_cards(values: Mapping[str, Any]) -> list[Mistake]:
    asking = {"gpu_type": "gpu_type", "gpu_memory_mib": "gpu_memory", "share": "share"}
    return [
        Mistake("needs cards: write gpus: 1 or more", path=(key,))
        for attribute, key in asking.items()
        if values.get(attribute)
    ]


def _sharing(values: Mapping[str, Any], fields: Mapping[str, object]) -> list[Mistake]:
    if not values.get("share"):
        return []
    found = []
    if "gpu_memory" not in fields:
        found.append(Mistake("needs gpu_memory: how much of the card it takes", path=("share",)))
    if values["gpus"] > 1:
        found.append(Mistake("is part of one card: write gpus: 1", path=("share",)))
    return found


def _settle(values: dict[str, Any]) -> None:
    """Put the two halves of ``pool/queue`` and the two meanings of ``with`` in their places."""
    if "/" in (queue := values.get("queue", "")):
        values["pool"], values["queue"] = queue.split("/")
    if _PACK.fullmatch(values.get("with_folder", "")):
        values["pack"] = values.pop("with_folder")


def _dotted(path: Path) -> str:
    """Return the path as people write it: ``restart.retries``, ``mounts[0]``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _SIMPLE_KEY.fullmatch(part) else shown(part))
    return text
