"""Checks for one value a person wrote: text, numbers, sizes, durations, times, choices.

A check reads what YAML, JSON, a flag or a form may give, and writes it back as typed. It
takes the text form of a number or a truth value too, because a flag and a form have only
text: the same field has the same check wherever it is filled in.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from eaas.errors import EaasError
from eaas.spelling import nearest, shown
from eaas.units import (
    DURATION_PATTERN,
    MEMORY_PATTERN,
    UnitError,
    format_duration,
    format_memory_mib,
    parse_duration_s,
    parse_memory_mib,
    parse_utc,
    utc_text,
)

Path = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top of the document."""

_UNTYPABLE: Final = re.compile("[\x00\ud800-\udfff]")
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_TRUTH: Final[Mapping[str, bool]] = {"true": True, "false": False}
_TRUTH_ELSEWHERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("yes", "y", "on", "1"), "true"),
    **dict.fromkeys(("no", "n", "off", "0"), "false"),
}


class Mistake(msgspec.Struct, frozen=True):
    """One thing wrong in a value, at its place below that value."""

    message: str
    suggestion: str | None = None
    path: Path = ()
    on_key: bool = False
    """The key itself is wrong, not what it was given."""


class Wrong(EaasError):
    """A value has mistakes; whoever knows the value's place turns them into field errors."""

    code = "invalid"
    http_status = 422

    def __init__(self, *mistakes: Mistake) -> None:
        self.mistakes: Final = mistakes
        super().__init__("; ".join(mistake.message for mistake in mistakes))


def wrong(message: str, suggestion: str | None = None) -> Wrong:
    """Return the refusal of a value that has one mistake."""
    return Wrong(Mistake(message, suggestion))


def below(part: str | int, mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Return the mistakes of an inner value as mistakes of the value around it."""
    return [msgspec.structs.replace(mistake, path=(part, *mistake.path)) for mistake in mistakes]


def text_of(value: object) -> str:
    """Return the value as text.

    Whole numbers and plain decimals pass for what was typed; a truth value or nothing is
    refused, since nobody can tell how it was spelled.
    """
    if isinstance(value, str):
        if _UNTYPABLE.search(value):
            raise wrong("must not contain NUL characters or halves of characters")
        return value
    if isinstance(value, bool):
        raise wrong(f"must be text: put {shown(value)} in quotes", f'"{shown(value)}"')
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if value is None:
        raise wrong('must be text; for an empty one write ""', '""')
    raise wrong(f"must be text, not {shown(value)}")


def items_of(value: object, *, separator: str | None = ",") -> list[object]:
    """Return a list's items; a lone value is a list of one, a text is cut at the separator."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, str) and separator is not None:
        return [part.strip() for part in value.split(separator)]
    if isinstance(value, str | int):
        return [value]
    raise wrong(f"must be a list, not {shown(value)}")


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of value is read, written back, and described to an editor."""

    kind: ClassVar[str] = ""

    def read(self, value: object) -> Any:
        """Return the value as the programs keep it, or raise Wrong."""
        raise NotImplementedError

    def typed(self, value: Any) -> object:
        """Return a kept value the way people type it."""
        return value

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of what may be typed."""
        raise NotImplementedError


class Text(Check, frozen=True, kw_only=True):
    """Text of a certain form."""

    kind: ClassVar[str] = "text"
    pattern: str
    rule: str
    """What the text must be, after "must be"."""
    max_chars: int = 255
    for_editors: str | None = None
    """The pattern in words that JavaScript and Python read alike, where ``pattern`` is not."""

    def read(self, value: object) -> str:
        text = text_of(value)
        if len(text) > self.max_chars:
            raise wrong(f"must be {self.max_chars} characters at most, not {len(text)}")
        if re.fullmatch(self.pattern, text) is None:
            raise wrong(f"must be {self.rule}, not {shown(text)}", self._repaired(text))
        return text

    def _repaired(self, text: str) -> str | None:
        """Return what the text may have been meant as, if that would pass."""
        tries = (text.strip(), text.lower(), text.strip().lower().replace(" ", "-"))
        return next((t for t in tries if re.fullmatch(self.pattern, t)), None)

    def schema(self) -> dict[str, object]:
        return {
            "type": ["string", "integer"],
            "pattern": f"^({self.for_editors or self.pattern})$",
            "maxLength": self.max_chars,
        }


class Whole(Check, frozen=True, kw_only=True):
    """A whole number within bounds."""

    kind: ClassVar[str] = "integer"
    minimum: int
    maximum: int

    def read(self, value: object) -> int:
        number = int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value
        if type(number) is not int or not self.minimum <= number <= self.maximum:
            near = str(int(number)) if isinstance(number, float) and number.is_integer() else None
            raise wrong(
                f"must be a whole number from {self.minimum} to {self.maximum}, not {shown(value)}",
                near,
            )
        return number

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


class Number(Check, frozen=True, kw_only=True):
    """A number within bounds."""

    kind: ClassVar[str] = "number"
    minimum: float
    maximum: float

    def read(self, value: object) -> float:
        number = float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value
        if (
            isinstance(number, bool)
            or not isinstance(number, int | float)
            or not self.minimum <= number <= self.maximum
        ):
            raise wrong(
                f"must be a number from {self.minimum:g} to {self.maximum:g}, not {shown(value)}"
            )
        return float(number)

    def typed(self, value: float) -> object:
        return int(value) if value.is_integer() else value

    def schema(self) -> dict[str, object]:
        return {"type": "number", "minimum": self.minimum, "maximum": self.maximum}


class Memory(Check, frozen=True, kw_only=True):
    """A memory size with its unit; kept in MiB."""

    kind: ClassVar[str] = "memory"
    minimum_mib: int = 1
    maximum_mib: int

    def read(self, value: object) -> int:
        if not isinstance(value, str | int):
            raise wrong(f"must be a size such as 20GiB or 512MiB, not {shown(value)}")
        try:
            mib = parse_memory_mib(value)
        except UnitError as error:
            raise wrong(error.sentence, error.suggestion) from None
        if not self.minimum_mib <= mib <= self.maximum_mib:
            least, most = format_memory_mib(self.minimum_mib), format_memory_mib(self.maximum_mib)
            raise wrong(f"must be from {least} to {most}, not {shown(value)}")
        return mib

    def typed(self, value: int) -> object:
        return format_memory_mib(value)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "pattern": f"^{MEMORY_PATTERN}$", "examples": ["20GiB"]}


class Duration(Check, frozen=True, kw_only=True):
    """A duration with its units; kept in seconds."""

    kind: ClassVar[str] = "duration"
    minimum_s: float
    maximum_s: float

    def read(self, value: object) -> float:
        if not isinstance(value, str | int | float):
            raise wrong(f"must be a duration such as 90s, 12h or 1h30m, not {shown(value)}")
        try:
            seconds = parse_duration_s(value)
        except UnitError as error:
            raise wrong(error.sentence, error.suggestion) from None
        if not self.minimum_s <= seconds <= self.maximum_s:
            least, most = format_duration(self.minimum_s), format_duration(self.maximum_s)
            raise wrong(f"must be from {least} to {most}, not {shown(value)}")
        return seconds

    def typed(self, value: float) -> object:
        return format_duration(value)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "pattern": f"^{DURATION_PATTERN}$", "examples": ["12h"]}


class Moment(Check, frozen=True, kw_only=True):
    """A time with its zone; kept in Unix seconds, exact to the millisecond."""

    kind: ClassVar[str] = "time"

    def read(self, value: object) -> float:
        try:
            return round(parse_utc(text_of(value)), 3)
        except UnitError as error:
            raise wrong(error.sentence, error.suggestion) from None

    def typed(self, value: float) -> object:
        return utc_text(value)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "format": "date-time"}


class Truth(Check, frozen=True, kw_only=True):
    """True or false; the ``yes`` and ``on`` of old YAML are refused with what to write."""

    kind: ClassVar[str] = "flag"

    def read(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        text = str(value).lower() if isinstance(value, str | int) else ""
        if text in _TRUTH:
            return _TRUTH[text]
        raise wrong(f"must be true or false, not {shown(value)}", _TRUTH_ELSEWHERE.get(text))

    def schema(self) -> dict[str, object]:
        return {"type": "boolean"}


class Choice(Check, frozen=True, kw_only=True):
    """One of a few words."""

    kind: ClassVar[str] = "choice"
    choices: tuple[str, ...]
    aliases: Mapping[str, str] = msgspec.field(default_factory=dict)
    """What other tools call them, for the suggestion."""

    def read(self, value: object) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        near = nearest(str(value), self.choices, aliases=self.aliases)
        raise wrong(f"must be {' or '.join(self.choices)}, not {shown(value)}", near)

    def schema(self) -> dict[str, object]:
        return {"enum": list(self.choices)}
