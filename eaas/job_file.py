"""Job files: YAML (or JSON) with one job per document, every mistake reported at once."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from eaas.errors import FieldError, Invalid, TooLarge
from eaas.field_checks import Check, Mistake, Text, Truth, Wrong, below
from eaas.job_spec import MAX_MISTAKES, JobSpec, field_error, invalid, read_spec
from eaas.spelling import shown
from eaas.yaml_tree import Tree, read_trees

MAX_BYTES: Final = 256 * 1024
MAX_DOCUMENTS: Final = 1000

KEY_FIELD: Final = "key"
LOG_FIELD: Final = "log"
"""Keys of a document that aren't part of the job."""

KEY_CHECK: Final = Text(pattern="[!-~]+", rule="text without blanks", max_chars=200)
OWN_CHECKS: Final[Mapping[str, Check]] = {KEY_FIELD: KEY_CHECK, LOG_FIELD: Truth()}

T = TypeVar("T")

_UNREADABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HIGH_BYTES: Final = re.compile(rb"[\x80-\xff]+")
_JSON_PAIR: Final = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)


class JobDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One job of a file."""

    spec: JobSpec
    line: int
    """Where it begins in the file, from 1."""
    key: str | None = None
    """Its ``key``: the same key and the same body are the same job."""
    log: bool | None = None
    """Its ``log``: a watched folder puts the job's log beside the file when it ends, or does not.
    None: as the folder's settings say."""


def read_job_file(data: bytes | str, *, name: str = "job file") -> list[JobDocument]:
    """Return the file's jobs, or raise Invalid with every mistake of every document.

    ``name`` stands before the mistakes. A file over 256 KiB raises TooLarge. Paths in
    ``with`` stay as typed; the caller knows what they are relative to.
    """
    return read_documents(data, job_document, name=name)


def read_documents(data: bytes | str, read: Callable[[Tree], T], *, name: str) -> list[T]:
    """Return what ``read`` makes of each document, or raise Invalid with all their mistakes.

    ``read`` gets documents that are not empty and parsed to their end, and raises Invalid.
    """
    text = _text(data, name)
    documents: list[T] = []
    errors: list[FieldError] = []
    empty = True
    for tree in read_trees(text):
        empty = empty and tree.value is None and not tree.broken
        try:
            documents += _read(tree, read)
        except Invalid as error:
            errors += error.errors
        if len(errors) > MAX_MISTAKES:
            break
        if len(documents) > MAX_DOCUMENTS:
            raise TooLarge(f"{name} holds more than {MAX_DOCUMENTS} jobs")
    if empty:
        errors.append(FieldError(field="", message="the file holds no job", line=1, column=1))
    if errors:
        raise invalid(errors, name)
    return documents


def file_key(documents: Sequence[JobDocument]) -> str | None:
    """Return the idempotency key the file itself gives; several documents have one together."""
    keys = [document.key for document in documents]
    if len(keys) == 1:
        return keys[0]
    if None in keys:
        return None
    return "batch-" + hashlib.sha256("\n".join(map(str, keys)).encode()).hexdigest()


def _read(tree: Tree, read: Callable[[Tree], T]) -> Iterator[T]:
    """Yield what the document is, if it isn't empty, or raise Invalid."""
    errors = [
        msgspec.structs.replace(field_error(mistake), line=line, column=column)
        for mistake, (line, column) in tree.mistakes
    ]
    if tree.syntax is not None:
        errors.append(tree.syntax)
    known = {(error.line, error.column) for error in errors}
    document: T | None = None
    if not tree.broken and tree.value is not None:
        try:
            document = read(tree)
        except Invalid as error:
            errors += [e for e in error.errors if (e.line, e.column) not in known]
    if errors:
        raise Invalid(tuple(sorted(errors, key=lambda error: (error.line or 0, error.column or 0))))
    if document is not None:
        yield document


def job_document(tree: Tree) -> JobDocument:
    """Return the document's job, or raise Invalid with its mistakes."""
    if not isinstance(tree.value, dict):
        message = f"a job is `key: value` lines, not {shown(tree.value)}; between jobs stands ---"
        raise Invalid((field_error(Mistake(message), tree.locate),))
    fields = dict(tree.value)
    errors: list[FieldError] = []
    own: dict[str, Any] = {}
    for name, check in OWN_CHECKS.items():
        if name in fields:
            try:
                own[name] = check.read(fields.pop(name))
            except Wrong as error:
                errors += [field_error(m, tree.locate) for m in below(name, error.mistakes)]
    try:
        spec = read_spec(fields, tree.locate)
    except Invalid as error:
        raise Invalid((*errors, *error.errors)) from None
    if errors:
        raise Invalid(tuple(errors))
    return JobDocument(spec=spec, line=tree.line, **own)


def _text(data: bytes | str, name: str) -> str:
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise TooLarge(f"{name} is {-(-size // 1024)} KiB; a job file is 256 KiB at most")
    text = data if isinstance(data, str) else _decoded(data, name)
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        text = _JSON_PAIR.sub(_joined, text)
    if (bad := _UNREADABLE.search(text)) is not None:
        message = f"the character U+{ord(bad[0]):04X} can't stand in a job file"
        raise invalid([_mistake(text[: bad.start()], message)], name)
    return text


def _decoded(data: bytes, name: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise invalid([_mistake("", "the file is UTF-16: save it as UTF-8")], name)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        if _CONTROL.search(data) is not None:
            raise invalid([_mistake(before, "this is no text: a job file is YAML")], name) from None
        pairs = all(len(run) % 2 == 0 for run in _HIGH_BYTES.findall(data))
        likely = "GBK" if pairs else "Latin-1 (Windows-1252)"
        message = f"this is not UTF-8 but probably {likely}: save the file as UTF-8"
        raise invalid([_mistake(before, message)], name) from None


def _mistake(before: str, message: str) -> FieldError:
    """Return the mistake that stands right after this beginning of the file."""
    line = before.count("\n")
    column = len(before) - (before.rfind("\n") + 1)
    return FieldError(field="", message=message, line=line + 1, column=column + 1)


def _joined(match: re.Match[str]) -> str:
    """Return the character that JSON writes as two halves, which YAML doesn't know."""
    high, low = int(match[2], 16) - 0xD800, int(match[3], 16) - 0xDC00
    return match[1] + chr(0x10000 + (high << 10) + low)
