"""What a file in a watched folder says: jobs to submit, or orders about jobs that are there.

An order is a document with ``cancel: 42`` (or a list of numbers), ``priority: {42: 10}``, or
both. An empty file called ``42.cancel`` says the same as ``cancel: 42``.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from eaas.errors import FieldError, Invalid
from eaas.field_checks import Mistake, Whole, Wrong, below, items_of, wrong
from eaas.job_fields import MAX_PRIORITY
from eaas.job_file import JobDocument, job_document, read_documents
from eaas.job_spec import field_error, invalid
from eaas.spelling import shown
from eaas.yaml_tree import Tree

CANCEL: Final = "cancel"
PRIORITY: Final = "priority"

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


def read_folder_file(
    data: bytes | str, *, name: str, defaults: Mapping[str, str] | None = None
) -> FolderFile:
    """Return what the file says, or raise Invalid with every mistake, TooLarge over 256 KiB.

    ``defaults`` are the folder's own ``pool`` and ``queue``, for jobs that do not name theirs.
    """
    documents = read_documents(data, partial(_document, defaults=defaults or {}), name=name)
    jobs = [document for document in documents if isinstance(document, JobDocument)]
    orders = [order for each in documents if isinstance(each, _Orders) for order in each.orders]
    if jobs and orders:
        line = next(each.line for each in documents if isinstance(each, _Orders))
        message = "jobs and orders about jobs can't stand in one file: make two of it"
        raise invalid([FieldError(field="", message=message, line=line, column=1)], name)
    _refuse_strange_folders(jobs, name)
    return FolderFile(jobs=tuple(jobs), orders=tuple(orders))


def cancel_order(name: str) -> Order | None:
    """Return the order that a file gives by its name alone, ``42.cancel``."""
    match = _CANCEL_NAME.fullmatch(name)
    return None if match is None else Order(job=int(match[1]))


def names_no_job(name: str) -> str | None:
    """Return what is wrong with a ``.cancel`` file that names no job; None for any other file."""
    if not name.lower().endswith(_CANCEL_ENDING) or cancel_order(name) is not None:
        return None
    return "its name says no job's number: name it JOB.cancel, like 42.cancel"


class _Orders(msgspec.Struct, frozen=True, kw_only=True):
    orders: tuple[Order, ...]
    line: int


def _document(tree: Tree, defaults: Mapping[str, str]) -> JobDocument | _Orders:
    value = tree.value
    if not isinstance(value, dict):
        return job_document(tree)
    if CANCEL in value or isinstance(value.get(PRIORITY), dict):
        return _orders(tree, value)
    if value.get("pool") not in (None, defaults.get("pool")):
        return job_document(tree)  # the folder's queue is one of the folder's pool
    return job_document(msgspec.structs.replace(tree, value={**defaults, **value}))


def _orders(tree: Tree, fields: dict[str, Any]) -> _Orders:
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
    return _Orders(orders=tuple(orders), line=tree.line)


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


def _refuse_strange_folders(jobs: list[JobDocument], name: str) -> None:
    """Refuse ``with``: the controller must not read for one person what another has."""
    message = "with: a watched folder takes no folders along; use mini-eaas job submit FILE"
    errors = [
        FieldError(field="with", message=message, line=job.line)
        for job in jobs
        if job.spec.with_folder is not None or job.spec.pack is not None
    ]
    if errors:
        raise invalid(errors, name)
