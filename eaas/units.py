"""Sizes, durations and times as people write them, and the numbers the programs keep."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final

from eaas.errors import EaasError
from eaas.spelling import shown

MIB_BYTES: Final = 1024 * 1024

MEMORY_PATTERN: Final = r"[0-9]{1,15}(\.[0-9]{1,9})? ?([kKmMgGtT]([iI]?[bB]?)|[bB])"
"""What a memory size looks like, for the JSON schema; the parser below has the last word."""

DURATION_PATTERN: Final = r"([0-9]{1,15}(\.[0-9]{1,30})?(w|d|h|m|s|ms) ?)+"
"""What a duration looks like, for the JSON schema; the parser below has the last word."""

_MEMORY: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,9}))? ?([A-Za-z]{1,3})")
_BARE_NUMBER: Final = re.compile(r"[0-9]{1,15}")
_NUMBER: Final = r"([0-9]{1,15}(?:\.[0-9]{1,30})?)"
_DURATION: Final = re.compile(
    " ?".join(rf"(?:{_NUMBER}{unit})?" for unit in ("w", "d", "h", "m", "s", "ms"))
)
_DURATION_S: Final = tuple(
    Decimal(seconds) for seconds in ("604800", "86400", "3600", "60", "1", "0.001")
)
_TIME: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)"
    r"(Z|z|[+-][0-9]{2}:[0-9]{2})?"
)
_ROUGH_UNITS: Final = ((86400, "d"), (3600, "h"), (60, "m"))
BEYOND_WORDS_S: Final = 1e20
"""Days without number: such a duration comes from a mistake only."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _unit_table() -> dict[str, int]:
    table = {"b": 1}
    for power, letter in enumerate("kmgt", start=1):
        for spelling in (letter, f"{letter}i", f"{letter}ib"):
            table[spelling] = 1024**power
        table[f"{letter}b"] = 1000**power
    return table


_UNIT_BYTES: Final[Mapping[str, int]] = _unit_table()


class UnitError(EaasError):
    """A size, a duration or a time isn't written the way it must be."""

    code = "invalid"
    http_status = 422

    def __init__(self, sentence: str, suggestion: str | None = None) -> None:
        self.suggestion: Final = suggestion
        super().__init__(sentence)


def parse_memory_mib(text: str | int) -> int:
    """Return the size in MiB, rounded up.

    ``GiB``, ``Gi`` and ``G`` count in 1024s, ``GB`` in 1000s as on a disk's label; case
    and one blank before the unit don't matter. A bare number is refused: it's GiB to one
    person and MiB to the next.
    """
    match = _MEMORY.fullmatch(text.strip()) if isinstance(text, str) else None
    factor = _UNIT_BYTES.get(match[3].lower()) if match else None
    if match is None or factor is None:
        raise _not_a_size(text)
    fraction = match[2] or ""
    scale = int("1" + "0" * len(fraction))
    return -(-int(match[1] + fraction) * factor // (MIB_BYTES * scale))


def format_memory_mib(mib: int) -> str:
    """Return the size in the form people type; it parses back to exactly this number."""
    return f"{mib // 1024}GiB" if mib and mib % 1024 == 0 else f"{mib}MiB"


def rough_memory_mib(mib: int) -> str:
    """Return the size in GiB with a tenth, rounded down: so much there is at least."""
    return f"{mib * 10 // 1024 / 10:g}GiB" if mib >= 1024 else f"{mib}MiB"


def parse_duration_s(text: str | int | float) -> float:
    """Return the seconds in a duration such as ``90s``, ``12h``, ``1h30m`` or ``2d``.

    Units go from the longest to the shortest (w d h m s ms), each at most once. A bare
    number is refused, like a bare memory size.
    """
    stripped = text.strip() if isinstance(text, str) else ""
    match = _DURATION.fullmatch(stripped)
    if match is None or not stripped:
        raise _not_a_duration(text)
    parts = zip(match.groups(), _DURATION_S, strict=True)
    return float(sum(Decimal(number) * seconds for number, seconds in parts if number))


def format_duration(seconds: float) -> str:
    """Return the duration in the form people type (``1h30m``); it parses back exactly.

    One that is longer than anybody can type is told as the number of seconds it is.
    """
    if not abs(seconds) < BEYOND_WORDS_S:
        return f"{seconds:g}s"
    rest = Decimal(repr(float(seconds)))
    text = ""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        count, rest = divmod(rest, size)
        text += f"{int(count)}{unit}" if count else ""
    if rest or not text:
        text += f"{_plain_decimal(rest)}s"
    return text


def rough_duration(seconds: float) -> str:
    """Return the duration in two units at most (``3h12m``); finer is noise in a table."""
    rest = max(0, int(seconds))
    for position, (size, unit) in enumerate(_ROUGH_UNITS):
        if rest >= size:
            small_size, small = (*_ROUGH_UNITS, (1, "s"))[position + 1]
            count = rest % size // small_size
            return f"{rest // size}{unit}" + (f"{count}{small}" if count else "")
    return f"{rest}s"


@lru_cache(maxsize=1024)  # jobs that came together share their times
def utc_text(unix_s: float) -> str:
    """Return the moment as RFC 3339 in UTC with milliseconds, ending in ``Z``."""
    moment = _EPOCH + timedelta(milliseconds=round(unix_s * 1000))
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def moment_text(moment: float | str) -> str:
    """Return a moment, in Unix seconds or as ``utc_text`` has it, as sentences tell it.

    ``2026-03-01 08:00:00 UTC``: to the second, and nobody's own zone.
    """
    text = utc_text(moment) if isinstance(moment, float | int) else moment
    return f"{text[:19].replace('T', ' ')} UTC"


def parse_utc(text: str) -> float:
    """Return the Unix seconds of an RFC 3339 time.

    A time without ``Z`` or an offset is refused: the controller need not be where the
    person is.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise UnitError(f"must be a time such as 2026-03-01T08:00:00Z, not {shown(text)}")
    day, clock, zone = match.groups()
    if zone is None:
        raise UnitError(
            f"{shown(text)} has no time zone: end it with Z for UTC, or with +08:00",
            f"{day}T{clock}Z",
        )
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone.upper()}")
        return (moment - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        raise UnitError(f"{shown(text)} is not a time that exists") from None


def _plain_decimal(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _bare_number(value: object) -> str | None:
    """Return the digits if a number was written without a unit."""
    text = str(value).strip() if isinstance(value, str | int) else ""
    return text if _BARE_NUMBER.fullmatch(text) and not isinstance(value, bool) else None


def _not_a_size(value: object) -> UnitError:
    digits = _bare_number(value)
    if digits is None:
        return UnitError(f"must be a size such as 20GiB or 512MiB, not {shown(value)}")
    likely = "GiB" if int(digits) <= 1024 else "MiB" if int(digits) < 2**27 else "B"
    return UnitError(f"{digits} has no unit: write {digits}{likely}", f"{digits}{likely}")


def _not_a_duration(value: object) -> UnitError:
    digits = _bare_number(value)
    if digits is None:
        return UnitError(f"must be a duration such as 90s, 12h or 1h30m, not {shown(value)}")
    return UnitError(f"{digits} has no unit: write {digits}s, {digits}m or {digits}h", f"{digits}s")
