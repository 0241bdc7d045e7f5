"""Files for a watched folder, read as the controller reads them."""

from pathlib import Path
from typing import Any

import click
import msgspec

from eaas.errors import EaasError, FieldError, Invalid
from eaas.folder_file import FolderFile, cancel_order, read_folder_file
from eaas.job_spec import spec_as_typed
from eaas.views import DryRunView


class CheckedOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order of a file; ``priority`` is null when it cancels."""

    job: int
    priority: int | None


class CheckedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file without a mistake, and what would become of its jobs."""

    file: str
    jobs: list[dict[str, Any]]
    orders: list[CheckedOrder]
    dry_runs: list[DryRunView] | None
    """Of its first jobs; null when no controller answers."""


def checked_files(files: tuple[str, ...]) -> list[CheckedFile]:
    """Return what the files say, or raise ``Invalid`` with the mistakes of all of them."""
    errors: list[FieldError] = []
    sentences: list[str] = []
    checked: list[CheckedFile] = []
    for file in files:
        try:
            checked.append(_checked(file, _content(file)))
        except EaasError as error:
            where = f"{file}: " if len(files) > 1 else ""
            found = error.errors if isinstance(error, Invalid) else (_plain(error),)
            errors += [msgspec.structs.replace(one, message=where + one.message) for one in found]
            sentences.append(error.sentence)
    if errors:
        where = files[0] if len(files) == 1 else ""
        raise Invalid(tuple(errors), "\n".join(sentences), where=where)
    return checked


def _plain(error: EaasError) -> FieldError:
    return FieldError(field="", message=error.sentence)


def _content(file: str) -> FolderFile:
    order = cancel_order(Path(file).name)
    if order is not None:
        return FolderFile(orders=(order,))
    try:
        return read_folder_file(Path(file).read_bytes(), name=file)
    except OSError as error:
        raise click.UsageError(f"can't read {file}: {(error.strerror or '').lower()}") from error


def _checked(file: str, content: FolderFile) -> CheckedFile:
    return CheckedFile(
        file=file,
        jobs=[spec_as_typed(document.spec) for document in content.jobs],
        orders=[CheckedOrder(job=order.job, priority=order.priority) for order in content.orders],
        dry_runs=None,
    )
