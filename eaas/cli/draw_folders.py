"""What people see of watched folders, and of files that were checked for one."""

from collections.abc import Iterator, Sequence

from eaas.cli.checked import CheckedFile, CheckedOrder
from eaas.cli.output import Lines, Table
from eaas.cli.words import ago, many
from eaas.views import FolderView
from eaas.why_views import DryRunView


def folder_table(folders: Sequence[FolderView]) -> Table:
    """Return the list of watched folders."""
    columns = (
        *("FOLDER", "STATE", "OPEN TO", "JOBS ARE", "GO TO", "ACCEPTED", "REFUSED", "LEFT"),
        "LOOKED",
    )
    return Table(columns, [_row(folder) for folder in folders], when_empty="no folder is watched")


def _row(folder: FolderView) -> tuple[str | None, ...]:
    looked = ago(folder.looked_at)
    return (
        folder.path,
        folder.state,
        folder.open_to,
        folder.user or "the file's owner's",
        "/".join(part for part in (folder.pool, folder.queue) if part) or "as the file says",
        str(folder.accepted),
        str(folder.refused),
        str(folder.left),
        None if looked is None else f"{looked} ago",
    )


def folder_reasons(folders: Sequence[FolderView]) -> Lines:
    """Return what is wrong with which folder: sentences are too long for a column."""
    wrong = (folder for folder in folders if folder.reason is not None)
    return Lines([f"{folder.path}, {folder.state}: {folder.reason}" for folder in wrong])


def check_lines(files: Sequence[CheckedFile]) -> Iterator[str]:
    """Yield for each file how much is in it, and for its jobs what would become of them."""
    for file in files:
        what = [many(len(file.jobs), "job")] if file.jobs else []
        what += [_order(order) for order in file.orders]
        yield f"{file.file}: {', '.join(what)}"
        yield from (f"  {order.text}" for order in file.orders if order.text is not None)
        dry_runs = file.dry_runs or []
        for number, dry in enumerate(dry_runs, 1):
            which = f"job {number}: " if len(file.jobs) > 1 else ""
            yield f"  {which}{_would(dry)}"
        if sum(dry.would == "start" for dry in dry_runs) > 1:
            yield "  each as if it came alone: together, some may have to wait for the others"
        if file.dry_runs is not None and len(file.jobs) > len(dry_runs):
            yield f"  the other {len(file.jobs) - len(dry_runs)} were not tried"


def _order(order: CheckedOrder) -> str:
    if order.priority is None:
        return f"cancel job {order.job}"
    return f"job {order.job} to priority {order.priority}"


def _would(dry: DryRunView) -> str:
    if not dry.valid:
        return "would be refused: " + "; ".join(error.message for error in dry.errors)
    if dry.would == "never":
        return f"would be refused: {dry.text}"
    return dry.text
