"""Reading what people send: bodies with every mistake named, numbers and words of queries."""

import re
from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec
from aiohttp import web

from eaas.errors import FieldError, Invalid, NotFound, TooLarge
from eaas.job_ref import JobRef, job_ref
from eaas.spelling import nearest, shown
from eaas.wire.codec import MAX_BODY_BYTES, BadMessage
from eaas_daemon.api.parts import JSON
from eaas_daemon.api.problems import UnsupportedMedia

B = TypeVar("B", bound=msgspec.Struct)

MAX_NUMBER: Final = 2**31 - 1
"""In seconds that is 68 years."""

_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$\.?(.*)`)?")
_PLACED: Final = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)


async def json_body(request: web.Request) -> bytes:
    """Return the body, which must be declared as JSON; a form of a web page never is."""
    if (length := request.content_length) is not None and length > MAX_BODY_BYTES:
        raise TooLarge(f"the body has {length} bytes, and {MAX_BODY_BYTES} is the limit")
    if request.content_type != JSON:
        raise UnsupportedMedia(f"send JSON, with Content-Type: {JSON}")
    return await request.read()


def has_body(request: web.Request) -> bool:
    """Tell whether the request brings anything."""
    return request.can_read_body


async def read_body(request: web.Request, kind: type[B]) -> B:
    """Return the body as a value of this kind, or refuse with what is wrong in it."""
    return decode(await json_body(request), kind)


async def read_optional_body(request: web.Request, kind: type[B]) -> B:
    """Return the body, or the kind's defaults when there is none."""
    return await read_body(request, kind) if has_body(request) else kind()


def decode(body: bytes, kind: type[B]) -> B:
    """Return the value of JSON text; raise ``Invalid`` or, for no JSON at all, ``BadMessage``."""
    try:
        value = msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise Invalid((_mistake(str(error), kind),)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadMessage(f"the body is not JSON: {error}") from error
    if errors := tuple(_too_large(value)):
        raise Invalid(errors)
    return value


def _too_large(value: msgspec.Struct) -> Iterator[FieldError]:
    """Name the numbers that no date, database or clock could hold."""
    for name in value.__struct_fields__:
        number = getattr(value, name)
        if isinstance(number, int | float) and abs(number) > MAX_NUMBER:
            message = f"{name}: must be {MAX_NUMBER} at most"
            yield FieldError(field=name, message=message)


def _mistake(sentence: str, kind: type[msgspec.Struct]) -> FieldError:
    if found := _UNKNOWN.fullmatch(sentence):
        key, place = found[1], found[2] or ""
        names = () if place else [field.encode_name for field in msgspec.structs.fields(kind)]
        field = f"{place}.{key}" if place else key
        return FieldError(
            field=field, message=f"{shown(field)} is no field here", suggestion=nearest(key, names)
        )
    placed = _PLACED.fullmatch(sentence)
    assert placed is not None
    place = placed[2] or ""
    words = placed[1][:1].lower() + placed[1][1:]
    return FieldError(field=place, message=f"{place}: {words}" if place else words)


def named(request: web.Request) -> JobRef:
    """Return the job, or the jobs, that the path names: ``42``, ``42[7]`` or ``42[0-3]``."""
    text = request.match_info["id"]
    ref = job_ref(text)
    if ref is None:
        raise NotFound(f"there is no job {shown(text)}")
    return ref


def query_int(request: web.Request, name: str, default: int, *, least: int | None = None) -> int:
    """Return a whole number of the query."""
    text = request.query.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise wrong_query(name, f"must be a whole number, not {shown(text)}")
    value = int(text)
    if least is not None and value < least:
        raise wrong_query(name, f"must be {least} or more, not {value}")
    return value


def query_seconds(request: web.Request, name: str, *, most: float) -> float:
    """Return a number of seconds from the query; 0 when it is not there, ``most`` at most."""
    text = request.query.get(name, "0")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", text):
        raise wrong_query(name, f"must be a number of seconds, not {shown(text)}")
    return min(float(text), most)


def query_flag(request: web.Request, name: str) -> bool:
    """Tell whether a flag of the query is set: ``1`` or ``true``."""
    text = request.query.get(name, "").lower()
    if text in ("", "0", "false"):
        return False
    if text in ("1", "true"):
        return True
    raise wrong_query(name, f"must be 1 or 0, not {shown(text)}")


def query_choice(request: web.Request, name: str, choices: tuple[str, ...], default: str) -> str:
    """Return a word of the query that must be one of these."""
    word = request.query.get(name, default)
    if word not in choices:
        listed = ", ".join(choices)
        raise wrong_query(name, f"must be one of {listed}, not {shown(word)}", word, choices)
    return word


def wrong_query(name: str, fact: str, word: str = "", choices: tuple[str, ...] = ()) -> Invalid:
    """Return the refusal of one parameter."""
    near = nearest(word, choices) if choices else None
    return Invalid((FieldError(field=name, message=f"{name} {fact}", suggestion=near),))
