"""One field of a job as text in a form, and back as a value of the job file."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from eaas.job_field import JobField
from eaas.safe_text import safe_text

SEVERAL_LINES: Final = frozenset({"command", "env", "mounts", "labels"})
"""Fields that are typed on lines: a script, or one item a line."""

_BLANK: Final = " \t\r\n"
_RIGHT_AS_IT_STANDS: Final = re.compile(r"[^\s\"](?:.*\S)?")


def value_from(field: JobField, text: str) -> object | None:
    """Return what a job file would hold for this text; None where nothing was typed.

    A value that is wrong stays as it was typed, so that the field's own check can say why.
    """
    if not text.strip(_BLANK):
        return None
    if field.kind == "command":
        return _command(text)
    if field.kind == "mapping":
        return _pairs(_lines(text))
    if field.key == "mounts":
        return _lines(text)
    if field.kind in ("list", "integers"):
        return [part for part in (part.strip() for part in text.split(",")) if part]
    return text.strip(_BLANK)


def text_from(field: JobField, value: object) -> str:
    """Return the text that stands for a job file's value; ``value_from`` returns the value."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}={_quoted(str(inner))}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        if field.kind == "command":
            return _json(list(map(str, value)))
        return ("\n" if field.key in SEVERAL_LINES else ", ").join(map(str, value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    looks_like_a_list = field.kind == "command" and _listed(text) is not None
    return f" {text}" if looks_like_a_list else text  # the shell doesn't mind a blank in front


def clean(key: str, text: str) -> str:
    """Return the text without what a terminal obeys or a person can't see.

    Lines and tabs stay where there can be several lines; a script may need its tabs.
    """
    if key not in SEVERAL_LINES:
        return safe_text(text)
    parts = text.replace("\r\n", "\n").split("\t")
    return "\t".join(safe_text(part, keep_newlines=True) for part in parts)


def twice(text: str) -> str | None:
    """Return the name that lines of ``KEY=VALUE`` give twice, if one is."""
    names = [line.partition("=")[0].rstrip() for line in _lines(text)]
    return next((name for at, name in enumerate(names) if name in names[:at]), None)


def _command(text: str) -> object:
    argv = _listed(text)
    return text if argv is None else argv


def _listed(text: str) -> list[str] | None:
    """Return the command that is written as a list, ``["python", "train.py"]``."""
    if not text.startswith("["):
        return None
    value = _read_json(text)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return value
    return None


def _lines(text: str) -> list[str]:
    return [line for line in (line.strip(_BLANK) for line in text.split("\n")) if line]


def _pairs(lines: Sequence[str]) -> object:
    """Return a mapping, or the lines themselves where one of them is no ``KEY=VALUE``."""
    if any("=" not in line for line in lines):
        return list(lines)
    split = (line.partition("=") for line in lines)
    return {key.rstrip(_BLANK): _unquoted(value.strip(_BLANK)) for key, _, value in split}


def _quoted(value: str) -> str:
    """Return the value as it may stand on its line; in quotes where it would not come back."""
    plain = value.isprintable() and (not value or _RIGHT_AS_IT_STANDS.fullmatch(value))
    return value if plain else _json(value)


def _unquoted(text: str) -> str:
    value = _read_json(text) if text.startswith('"') else None
    return value if isinstance(value, str) else text


def _json(value: str | list[str]) -> str:
    """Return JSON that a person can read: escapes only for what can't be shown."""
    parts = [value] if isinstance(value, str) else value
    return json.dumps(value, ensure_ascii=not all(map(str.isprintable, parts)))


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
