"""``folder``: check files for a watched folder before they are dropped there, and list folders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from eaas.cli.checked import CheckedFile, checked_files
from eaas.cli.draw_folders import check_lines, folder_reasons, folder_table
from eaas.cli.group import Command
from eaas.cli.judged import folder_for, judged
from eaas.cli.line import FAILED, Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.errors import Forbidden, Unauthenticated, Unreachable
from eaas.folder_file import ENDINGS
from eaas.views import FolderView, Page

NOBODY: Final = (Unreachable, Unauthenticated, Forbidden)
"""Without a controller that answers us, a check is of the files alone."""


@click.command(cls=Command)
@asks
async def list_folders(line: Line, client: Client) -> None:
    """List the watched folders.

    ACCEPTED and REFUSED count what was taken since the controller's start; LEFT is what lies there
    and is not taken, since its name is no job file's or it can't be moved. OPEN TO says who may put
    files there; sudo chgrp GROUP FOLDER FOLDER/accepted FOLDER/refused lets a group in.
    """
    folders: list[FolderView] = await client.folders()
    line.out.answer(Page(folders), lambda: [folder_table(folders), folder_reasons(folders)])


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--folder", metavar="PATH", help="The watched folder that the files are for (default: any)."
)
@asks
async def check(
    line: Line, client: Client, files: tuple[str, ...], folder: str | None
) -> int | None:
    """Check job files for a watched folder.

    Every mistake is named as FILE:LINE:COLUMN; nothing is submitted. If a controller answers, it
    says what would become of the jobs and orders now, with the folder's pool, queue and user; jobs
    that could never start are refused, here as there. Each job is judged as if it came alone.
    """
    folders, silent = await _folders(client)
    goes_to = _goes_to(files, folders, folder) if silent is None else {}
    checked, wrong = checked_files(files, goes_to)
    if silent is None:
        checked, silent = await _judged(client, checked, folders)
    if checked or not line.out.is_table:
        order = {file: place for place, file in enumerate(files)}
        everything = [*checked, *(one.as_checked() for one in wrong)]
        page = Page(sorted(everything, key=lambda one: order[one.file]))
        line.out.answer(page, lambda: [Lines(list(check_lines(checked)))])
    if line.out.is_table:
        for text in (text for one in wrong for text in one.lines()):
            line.out.remark(text)
        for text in _remarks(files, goes_to, folders, silent):
            line.out.remark(text)
    return FAILED if wrong or any(map(_is_refused, checked)) else None


def _is_refused(file: CheckedFile) -> bool:
    dry_runs = file.dry_runs or ()
    jobs = any(not dry.valid or dry.would == "never" for dry in dry_runs)
    return jobs or any(order.would == "refuse" for order in file.orders)


async def _folders(client: Client) -> tuple[list[FolderView], str | None]:
    """Return the watched folders, and why nobody tells of them."""
    try:
        return await client.folders(), None
    except NOBODY as silent:
        return [], silent.sentence


async def _judged(
    client: Client, checked: list[CheckedFile], folders: list[FolderView]
) -> tuple[list[CheckedFile], str | None]:
    """Return the files with what the controller says of them, or why it says nothing."""
    try:
        return await judged(client, checked, folders), None
    except NOBODY as silent:
        return checked, silent.sentence


def _goes_to(
    files: Sequence[str], folders: Sequence[FolderView], chosen: str | None
) -> dict[str, FolderView]:
    found = {file: folder_for(file, folders, chosen) for file in files}
    return {file: folder for file, folder in found.items() if folder is not None}


def _remarks(
    files: Sequence[str],
    goes_to: Mapping[str, FolderView],
    folders: Sequence[FolderView],
    silent: str | None,
) -> Iterator[str]:
    for file in files:
        if not file.lower().endswith(ENDINGS):
            yield f"{file}: a watched folder only takes names that end in .yaml or .yml"
    if silent is not None:
        yield f"no pool was asked, only the files themselves were checked: {silent}"
    elif folders and len(goes_to) < len(files):
        paths = ", ".join(one.path for one in folders)
        yield f"no folder's pool, queue and user were taken; --folder takes those of: {paths}"
