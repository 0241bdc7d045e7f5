"""What a file in a watched folder says: jobs to submit, or orders about jobs that are there.

An order is a document with ``cancel: 42`` (or a list of numbers), ``priority: {42: 10}``, or
both. An empty file called ``42.cancel`` says the same as ``cancel: 42``.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from eaas.errors import FieldError, Invalid
from eaas.field_checks import Mistake, Whole, Wrong, below, items_of, wrong
from eaas.job_fields import MAX_PRIORITY
from eaas.job_file import JobDocument, job_document, read_documents
from eaas.job_spec import field_error
from eaas.spelling import shown
from eaas.yaml_tree import Place, Tree

CANCEL: Final = "cancel"
PRIORITY: Final = "priority"
WITH: Final = "with"

_JOB: Final = re.compile(r"[1-9][0-9]{0,17}")
_CANCEL_ENDING: Final = ".cancel"
ENDINGS: Final = (".yaml", ".yml", _CANCEL_ENDING)
"""How the names of files end that a watched folder takes, in any case."""
_CANCEL_NAME: Final = re.compile(r"([1-9][0-9]{0,17})\.cancel")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of one job that is there."""

    job: int
    priority: int | None = None
    """None: cancel it."""


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file asks for: jobs or orders, never both."""

    jobs: tuple[JobDocument, ...] = ()
    orders: tuple[Order, ...] = ()
    places: tuple[dict[str, Place], ...] = ()
    """Where each job's keys stand, for what the controller finds wrong with their values."""


def read_folder_file(
    data: bytes | str, *, name: str, defaults: Mapping[str, str] | None = None
) -> FolderFile:
    """Return what the file says, or raise Invalid with every mistake, TooLarge over 256 KiB.

    ``defaults`` are the folder's own ``pool`` and ``queue``, for jobs that do not name theirs.
    """
    reading = _Documents(defaults or {})
    documents = read_documents(data, reading.read, name=name)
    jobs = tuple(document for document in documents if isinstance(document, JobDocument))
    orders = tuple(order for each in documents if isinstance(each, tuple) for order in each)
    return FolderFile(jobs=jobs, orders=orders, places=tuple(reading.places))


def cancel_order(name: str) -> Order | None:
    """Return the order that a file gives by its name alone, ``42.cancel``."""
    match = _CANCEL_NAME.fullmatch(name)
    return None if match is None else Order(job=int(match[1]))


def names_no_job(name: str) -> str | None:
    """Return what is wrong with a ``.cancel`` file that names no job; None for any other file."""
    if not name.lower().endswith(_CANCEL_ENDING) or cancel_order(name) is not None:
        return None
    return "its name says no job's number: name it JOB.cancel, like 42.cancel"


class _Documents:
    """Reads the documents of one file, the first of which tells what the others may be."""

    def __init__(self, defaults: Mapping[str, str]) -> None:
        self._defaults = defaults
        self._orders: bool | None = None
        self.places: list[dict[str, Place]] = []

    def read(self, tree: Tree) -> JobDocument | tuple[Order, ...]:
        """Return the document's job or its orders, or raise Invalid with all its mistakes."""
        value = tree.value
        if not isinstance(value, dict):
            return job_document(tree)
        orders = CANCEL in value or isinstance(value.get(PRIORITY), dict)
        errors = self._mixed(tree) if self._orders not in (None, orders) else []
        if self._orders is None:
            self._orders = orders
        read: JobDocument | tuple[Order, ...] | None = None
        try:
            read = _orders(tree, value) if orders else _job_of(tree, value, self._defaults)
        except Invalid as error:
            errors += error.errors
        if errors or read is None:
            raise Invalid(tuple(errors))
        if not orders:
            keys = {key: tree.locate((key,), key=True) for key in value}
            self.places.append({key: place for key, place in keys.items() if place is not None})
        return read

    def _mixed(self, tree: Tree) -> list[FieldError]:
        message = "jobs and orders about jobs can't stand in one file: make two of it"
        line, column = tree.locate(()) or (tree.line, 1)
        return [FieldError(field="", message=message, line=line, column=column)]


def _job_of(tree: Tree, fields: dict[str, Any], defaults: Mapping[str, str]) -> JobDocument:
    """Return the job, or raise Invalid; a folder of its writer's is one of the mistakes.

    The controller must not read for one person what another has.
    """
    fields, errors = dict(fields), list[FieldError]()
    if WITH in fields:
        del fields[WITH]
        message = "a watched folder takes no folders along; use mini-eaas job submit FILE"
        errors.append(field_error(Mistake(message, path=(WITH,), on_key=True), tree.locate))
    if fields.get("pool") in (None, defaults.get("pool")):
        fields = {**defaults, **fields}  # the folder's queue is one of the folder's pool
    document: JobDocument | None = None
    try:
        document = job_document(msgspec.structs.replace(tree, value=fields))
    except Invalid as error:
        errors += error.errors
    if errors or document is None:
        raise Invalid(tuple(errors))
    return document


def _orders(tree: Tree, fields: dict[str, Any]) -> tuple[Order, ...]:
    readers = {CANCEL: _cancels, PRIORITY: _priorities}
    orders: list[Order] = []
    mistakes: list[Mistake] = []
    for key, value in fields.items():
        if key not in readers:
            message = f"{shown(key)} can't stand beside cancel or priority: {{JOB: NUMBER}}"
            mistakes.append(Mistake(message, path=(key,), on_key=True))
            continue
        try:
            orders += readers[key](value)
        except Wrong as error:
            mistakes += below(key, error.mistakes)
    if mistakes:
        raise Invalid(tuple(field_error(mistake, tree.locate) for mistake in mistakes))
    return tuple(orders)


def _cancels(value: object) -> Iterator[Order]:
    for job in items_of(value):
        yield Order(job=_job(job))


def _priorities(value: object) -> Iterator[Order]:
    if not isinstance(value, dict):
        raise wrong("must be {JOB: NUMBER} beside cancel, like {42: 10}")
    read: Callable[[object], int] = Whole(minimum=-MAX_PRIORITY, maximum=MAX_PRIORITY).read
    for job, priority in value.items():
        number = _job(job)
        try:
            yield Order(job=number, priority=read(priority))
        except Wrong as error:
            raise Wrong(*below(job, error.mistakes)) from None


def _job(value: object) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or _JOB.fullmatch(text) is None:
        raise wrong(f"must be a job's number, like 42, not {shown(value)}")
    return int(text)
