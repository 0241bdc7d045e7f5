"""Checks for the values of a job that hold several: environment, labels, nodes, jobs."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, TypeVar

from eaas.field_checks import Check, Mistake, Text, Wrong, below, items_of, text_of, wrong
from eaas.ids import NAME_PATTERN
from eaas.spelling import shown

T = TypeVar("T")

ENV_BYTES: Final = 64 * 1024
MAX_LABELS: Final = 32
MAX_NODES: Final = 256

_ENV_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL_KEY: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE: Final = re.compile(
    r"([A-Za-z0-9._/:@+-]([A-Za-z0-9._/:@+ -]{0,61}[A-Za-z0-9._/:@+-])?)?"
)


def each(values: Sequence[object], read: Callable[[object], T]) -> tuple[T, ...]:
    """Return every value read, or raise Wrong with the mistakes of all."""
    results: list[T] = []
    mistakes: list[Mistake] = []
    for index, value in enumerate(values):
        try:
            results.append(read(value))
        except Wrong as error:
            mistakes += below(index, error.mistakes)
    if mistakes:
        raise Wrong(*mistakes)
    return tuple(results)


def at_most(limit: int, values: list[object]) -> list[object]:
    """Return the values, or raise Wrong if they are too many."""
    if len(values) > limit:
        raise wrong(f"must be {limit} at most, not {len(values)}")
    return values


def distinct(values: tuple[T, ...]) -> tuple[T, ...]:
    """Return the values without repetitions, in their order."""
    return tuple(dict.fromkeys(values))


class Environment(Check, frozen=True, kw_only=True):
    """Environment variables, without those the pool itself sets."""

    kind: ClassVar[str] = "mapping"

    def read(self, value: object) -> dict[str, str]:
        pairs = _pairs(value, _env_key, text_of)
        size = sum(len(k.encode()) + len(v.encode()) + 2 for k, v in pairs.items())
        if size > ENV_BYTES:
            raise wrong(f"must be {ENV_BYTES // 1024} KiB at most in all, not {size // 1024} KiB")
        return pairs

    def typed(self, value: dict[str, str]) -> object:
        return dict(value)

    def schema(self) -> dict[str, object]:
        return _mapping_schema(_ENV_KEY.pattern)


class Labels(Check, frozen=True, kw_only=True):
    """Free words to find jobs by."""

    kind: ClassVar[str] = "mapping"

    def read(self, value: object) -> dict[str, str]:
        pairs = _pairs(value, _label_key, _label_value)
        if len(pairs) > MAX_LABELS:
            raise wrong(f"must be {MAX_LABELS} labels at most, not {len(pairs)}")
        return pairs

    def typed(self, value: dict[str, str]) -> object:
        return dict(value)

    def schema(self) -> dict[str, object]:
        return _mapping_schema(_LABEL_KEY.pattern)


class Nodes(Check, frozen=True, kw_only=True):
    """Names of nodes."""

    kind: ClassVar[str] = "list"

    def read(self, value: object) -> tuple[str, ...]:
        name = Text(pattern=NAME_PATTERN.pattern, rule="a node's name", max_chars=63)
        return distinct(each(at_most(MAX_NODES, items_of(value)), name.read))

    def typed(self, value: tuple[str, ...]) -> object:
        return list(value)

    def schema(self) -> dict[str, object]:
        return {"type": "array", "items": {"type": "string"}}


def _pairs(
    value: object, key_of: Callable[[str], str], read: Callable[[object], str]
) -> dict[str, str]:
    """Return a mapping of text to text, typed as a mapping or as a list of ``KEY=VALUE``."""
    typed = value if isinstance(value, Mapping) else _split_pairs(value)
    pairs: dict[str, str] = {}
    mistakes: list[Mistake] = []
    for key, inner in typed.items():
        try:
            pairs[key_of(key)] = read(inner)
        except Wrong as error:
            mistakes += below(key, error.mistakes)
    if mistakes:
        raise Wrong(*mistakes)
    return pairs


def _split_pairs(value: object) -> dict[str, str]:
    def split(item: object) -> tuple[str, str]:
        key, equals, text = text_of(item).partition("=")
        if not equals:
            raise wrong(f"must be KEY=VALUE, not {shown(item)}")
        return key, text

    return dict(each(items_of(value, separator=None), split))


def _env_key(key: str) -> str:
    if _ENV_KEY.fullmatch(key) is None or len(key) > 255:
        raise _wrong_key(
            "a variable's name must be letters, digits and _, not beginning with a digit"
        )
    if key.startswith("NVIDIA_") or key in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
        raise _wrong_key(
            "cards are given by the pool: ask for them with gpus, gpu_type, gpu_memory"
        )
    if key.startswith("EAAS_"):
        raise _wrong_key("names that begin with EAAS_ are set by the pool itself")
    return key


def _label_key(key: str) -> str:
    if _LABEL_KEY.fullmatch(key) is None:
        raise _wrong_key("a label's name must be 1 to 63 letters, digits and . _ / - inside")
    return key


def _label_value(value: object) -> str:
    text = text_of(value)
    if _LABEL_VALUE.fullmatch(text) is None:
        raise wrong(
            f"must be 63 letters, digits, blanks and . _ / : @ + - at most, not {shown(text)}"
        )
    return text


def _wrong_key(message: str) -> Wrong:
    return Wrong(Mistake(message, on_key=True))


def _mapping_schema(key_pattern: str) -> dict[str, object]:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^({key_pattern})$"},
        "additionalProperties": {"type": ["string", "number"]},
    }
