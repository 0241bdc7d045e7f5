"""JSON Schema as far as the job file's schema uses it: what an editor would underline."""

import re
from collections.abc import Mapping
from typing import Any, Final

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_SAID: Final = ("$schema", "$id", "title", "description", "default")


def accepts(value: object, schema: Mapping[str, Any]) -> bool:
    """Tell whether the value is right; a keyword that is not known here raises KeyError."""
    keywords = {key: given for key, given in schema.items() if key not in _SAID}
    if "if" in keywords:
        branch = "then" if accepts(value, keywords.pop("if")) else "else"
        if not accepts(value, keywords.get(branch, {})):
            return False
    own = ((key, given) for key, given in keywords.items() if key not in ("then", "else"))
    return all(_holds(key, given, value, schema) for key, given in own)


def _holds(key: str, given: Any, value: object, schema: Mapping[str, Any]) -> bool:
    if key in _ANY:
        return bool(_ANY[key](value, given))
    kind, check = _OF_A_KIND[key]
    if not _is_a(value, kind):
        return True
    return bool(check(value, given, schema))


def _is_a(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _others(value: Any, given: Any, schema: Mapping[str, Any]) -> bool:
    patterns = schema.get("patternProperties", {})
    free = (
        key
        for key in value
        if key not in schema.get("properties", {})
        and not any(re.search(pattern, str(key)) for pattern in patterns)
    )
    if isinstance(given, bool):
        return given or not any(True for _ in free)
    return all(accepts(value[key], given) for key in free)


_ANY: Final[Mapping[str, Any]] = {
    "type": lambda value, given: any(
        _is_a(value, kind) for kind in ([given] if isinstance(given, str) else given)
    ),
    "enum": lambda value, given: value in given,
    "anyOf": lambda value, given: any(accepts(value, each) for each in given),
}
_OF_A_KIND: Final[Mapping[str, tuple[str, Any]]] = {
    "pattern": ("string", lambda value, given, _: re.search(given, value)),
    "minLength": ("string", lambda value, given, _: len(value) >= given),
    "maxLength": ("string", lambda value, given, _: len(value) <= given),
    "minimum": ("number", lambda value, given, _: value >= given),
    "maximum": ("number", lambda value, given, _: value <= given),
    "exclusiveMinimum": ("number", lambda value, given, _: value > given),
    "items": ("array", lambda value, given, _: all(accepts(each, given) for each in value)),
    "minItems": ("array", lambda value, given, _: len(value) >= given),
    "required": ("object", lambda value, given, _: all(key in value for key in given)),
    "properties": (
        "object",
        lambda value, given, _: all(accepts(value[k], given[k]) for k in value if k in given),
    ),
    "patternProperties": (
        "object",
        lambda value, given, _: all(
            accepts(value[key], each)
            for pattern, each in given.items()
            for key in value
            if re.search(pattern, str(key))
        ),
    ),
    "propertyNames": (
        "object",
        lambda value, given, _: all(accepts(str(key), given) for key in value),
    ),
    "additionalProperties": ("object", _others),
    "dependentRequired": (
        "object",
        lambda value, given, _: all(
            need in value for key, needs in given.items() if key in value for need in needs
        ),
    ),
}
