"""Everything the controller sent, made harmless for a terminal: once, where it enters the model.

What is clean already, nearly everything, is looked at with one C call a Struct and comes back
as the same object. Texts that thousands of jobs have in common are kept once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import force_setattr, replace

from eaas.safe_text import safe_text
from eaas.views import JobView

S = TypeVar("S", bound=msgspec.Struct)

MAX_TEXT: Final = 1000
"""Characters of one text that are kept; no screen shows more. The spec is kept whole."""
MAX_DEPTH: Final = 12
"""How deep the values of a spec may nest; what lies deeper is left out."""

MAX_SHARED: Final = 5000
"""Texts and reasons that are remembered, so that the next job with the same one shares it."""
SHARED: Final[Mapping[type, tuple[str, ...]]] = {
    JobView: ("user", "pool", "queue", "state", "node", "image_digest", "reason")
}
PLAIN: Final = frozenset({int, float, bool, type(None)})
"""What a spec may hold beside texts that needs no look."""

Clean = Callable[[Any], Any]


class Cleaner:
    """Cleans Structs of any type; keeps what it has learned about their fields."""

    def __init__(self) -> None:
        self._plans: dict[type, _Plan] = {}
        self._shared: dict[Any, Any] = {}
        self._keys: set[str] = set()
        """Keys of specs that are known to be clean."""

    def __call__(self, struct: S) -> S:
        """Return the Struct with every text in it safe; the same one if there was nothing to do."""
        changes: dict[str, Any] = {}
        plan = self._plans.get(type(struct)) or self._plan(type(struct))
        if plan.texts and not _is_clean(plan.read(struct)):
            for name in plan.texts:
                text = getattr(struct, name)
                if text is not None and (safe := line(text)) != text:
                    changes[name] = safe
        for name, clean in plan.others:
            if value := getattr(struct, name):
                new = clean(value)
                if new is not value:
                    changes[name] = new
        if changes:
            struct = replace(struct, **changes)
        for name, make_clean in plan.shared:  # nobody else has seen this Struct yet
            if (value := getattr(struct, name)) is not None:
                known = self._shared.get(value)  # and is clean then
                if known is None:
                    known = self._one(make_clean(value) if make_clean else value)
                force_setattr(struct, name, known)
        return struct

    def _one(self, value: Any) -> Any:
        """Return the first of the values that are equal to this one."""
        known = self._shared.get(value)
        if known is None and len(self._shared) < MAX_SHARED:
            known = self._shared[value] = value
        return value if known is None else known

    def _typed(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Return the spec safe; images and commands are often those of many jobs."""
        safe: dict[str, Any] = spec if self._is_plain(spec) else typed(spec)
        for key, value in safe.items():
            if type(value) is str:
                safe[key] = self._one(value)
        return safe

    def _is_plain(self, spec: Mapping[str, Any]) -> bool:
        """Tell whether nothing is nested in the spec and all of it is clean; mostly it is."""
        keys = self._keys
        for key, value in spec.items():
            if key not in keys:
                if typed(key) is not key or len(keys) >= MAX_SHARED:
                    return False
                keys.add(key)
            kind = type(value)
            if kind is str:
                if not (value.isascii() and value.isprintable()):
                    return False
            elif kind not in PLAIN:
                return False
        return True

    def _plan(self, kind: type) -> "_Plan":
        texts: list[str] = []
        others: list[tuple[str, Clean]] = []
        shared: dict[str, Clean | None] = dict.fromkeys(SHARED.get(kind, ()))
        for name, hint in get_type_hints(kind).items():
            kinds = _alternatives(hint)
            if str in kinds and not {int, float}.isdisjoint(kinds):
                others.append((name, _line_if_text))
            elif str in kinds:
                texts.append(name)
            elif (clean := self._clean_of(kinds)) is not None and name in shared:
                shared[name] = clean
            elif clean is not None:
                others.append((name, clean))
        plan = self._plans[kind] = _Plan(texts, others, shared)
        return plan

    def _clean_of(self, kinds: tuple[Any, ...]) -> Clean | None:
        """Return how to clean a value of one of these types; None where it holds no text."""
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
                return self
            if get_origin(kind) is tuple:
                inner = _alternatives(get_args(kind)[0])
                clean = line if str in inner else self._clean_of(inner)
                return None if clean is None else partial(_each, clean)
            if kind is dict or get_origin(kind) is dict:
                return self._typed
        return None


class _Plan:
    """Which fields of one Struct are texts, and which hold something with texts in it."""

    def __init__(
        self,
        texts: list[str],
        others: list[tuple[str, Clean]],
        shared: Mapping[str, Clean | None],
    ) -> None:
        self.shared: Final = tuple(shared.items())
        """With how to clean what is no text; texts are cleaned with the others."""
        self.texts: Final = tuple(texts)
        self.others: Final = tuple(others)
        self.read: Final[Callable[[Any], tuple[str | None, ...]]] = (
            attrgetter(*texts) if len(texts) > 1 else lambda struct: (getattr(struct, texts[0]),)
        )


def line(text: str) -> str:
    """Return the text as one safe line."""
    return safe_text(text[:MAX_TEXT])


def typed(value: Any, depth: int = 0) -> Any:
    """Return what a person typed (a spec, labels) with every key and text safe.

    Line ends are kept: a command may be a script.
    """
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value
        return safe_text(value, keep_newlines=True)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return _dict(value, depth)
    items = [typed(item, depth + 1) for item in value]
    same = all(new is old for new, old in zip(items, value, strict=True))
    return value if same else type(value)(items)


def _dict(value: Mapping[Any, Any], depth: int) -> Mapping[Any, Any]:
    """Return the same mapping if all of it was clean."""
    same, new = True, {}
    for key, inner in value.items():
        safe_key, safe = typed(key, depth + 1), typed(inner, depth + 1)
        same = same and safe is inner and safe_key is key
        new[safe_key] = safe
    return value if same else new


def _line_if_text(value: Any) -> Any:
    return line(value) if isinstance(value, str) else value


def _each(clean: Clean, values: tuple[Any, ...]) -> tuple[Any, ...]:
    new = tuple(map(clean, values))
    same = all(one is other for one, other in zip(new, values, strict=True))
    return values if same else new


def _is_clean(texts: tuple[str | None, ...]) -> bool:
    together = "".join(filter(None, texts))
    return together.isascii() and together.isprintable() and len(together) <= MAX_TEXT


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the types a field may have; a Literal is none, it was checked on arrival."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
