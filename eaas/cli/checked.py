"""Files for a watched folder, read as the controller reads them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from eaas.cli.requests import content_of
from eaas.errors import EaasError, FieldError, Invalid
from eaas.folder_file import FolderFile, cancel_order, names_no_job, read_folder_file
from eaas.job_file import MAX_BYTES
from eaas.job_spec import spec_as_typed
from eaas.problem import mistake_text
from eaas.views import FolderView
from eaas.why_views import DryRunView, FieldErrorView
from eaas.yaml_tree import read_trees

_ERROR_FIELDS: Final = FieldErrorView.__struct_fields__


class CheckedOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order of a file; ``priority`` is null when it cancels."""

    job: int
    priority: int | None
    would: Literal["do", "nothing", "refuse"] | None = None
    """What would become of it now; null when no controller answers."""
    text: str | None = None


class CheckedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file, its mistakes, and where it has none what would become of its jobs."""

    file: str
    folder: str | None = None
    """Whose pool, queue and user were taken for jobs that name none."""
    jobs: list[dict[str, Any]]
    orders: list[CheckedOrder]
    dry_runs: list[DryRunView] | None
    """Of its first jobs, each as if it came alone; null when no controller answers."""
    errors: list[FieldErrorView] = []


class Mistakes(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a file."""

    file: str
    refusal: EaasError
    documents: tuple[int, ...]
    """The first line of each document; of no use where there is only one."""

    @property
    def errors(self) -> tuple[FieldError, ...]:
        """Every mistake by itself."""
        known = self.refusal
        if isinstance(known, Invalid):
            return known.errors
        return (FieldError(field="", message=known.sentence),)

    def as_checked(self) -> CheckedFile:
        """Return the file as programs get it."""
        errors = [
            FieldErrorView(**{name: getattr(error, name) for name in _ERROR_FIELDS})
            for error in self.errors
        ]
        return CheckedFile(file=self.file, jobs=[], orders=[], dry_runs=None, errors=errors)

    def lines(self) -> Iterator[str]:
        """Yield each mistake as compilers do, ``FILE:LINE:COLUMN: ...``."""
        if not isinstance(self.refusal, Invalid):
            yield self.refusal.sentence  # it names the file
            return
        for error in self.errors:
            place = "" if error.line is None else f":{error.line}"
            place += "" if error.column is None else f":{error.column}"
            message = mistake_text(msgspec.structs.replace(error, line=None, column=None))
            yield f"{self.file}{place}: {self._document(error.line)}{message}"

    def _document(self, line: int | None) -> str:
        if line is None or len(self.documents) < 2:
            return ""
        first = max((each for each in self.documents if each <= line), default=1)
        return f"in the document from line {first}: "


def checked_files(
    files: Sequence[str], folders: Mapping[str, FolderView]
) -> tuple[list[CheckedFile], list[Mistakes]]:
    """Return what the good files say, and what is wrong with the others.

    ``folders`` are those that some of the files would go to, by file.
    """
    checked: list[CheckedFile] = []
    wrong: list[Mistakes] = []
    for file in files:
        data = content_of(file)
        try:
            folder = folders.get(file)
            checked.append(_checked(file, _content(file, data, folder), folder))
        except EaasError as refusal:
            wrong.append(Mistakes(file=file, refusal=refusal, documents=_documents(data)))
    return checked, wrong


def _documents(data: bytes) -> tuple[int, ...]:
    """Return where the documents begin; nothing for what is no text."""
    if len(data) > MAX_BYTES:
        return ()
    try:
        return tuple(tree.line for tree in read_trees(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        return ()


def _content(file: str, data: bytes, folder: FolderView | None) -> FolderFile:
    name = Path(file).name
    order = cancel_order(name)
    if order is not None:
        return FolderFile(orders=(order,))
    if (why := names_no_job(name)) is not None:
        raise Invalid((FieldError(field="", message=why),), f"{file}: {why}", where=file)
    given = {} if folder is None else {"pool": folder.pool, "queue": folder.queue}
    defaults = {key: value for key, value in given.items() if value is not None}
    return read_folder_file(data, name=file, defaults=defaults)


def _checked(file: str, content: FolderFile, folder: FolderView | None) -> CheckedFile:
    return CheckedFile(
        file=file,
        folder=None if folder is None else folder.path,
        jobs=[spec_as_typed(document.spec) for document in content.jobs],
        orders=[CheckedOrder(job=order.job, priority=order.priority) for order in content.orders],
        dry_runs=None,
    )
