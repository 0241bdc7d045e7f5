"""``folder``: check files for a watched folder before they are dropped there, and list folders."""

from typing import Final

import click
import msgspec

from eaas.cli.checked import CheckedFile, all_mistakes, checked_files
from eaas.cli.draw_folders import check_lines, folder_table
from eaas.cli.group import Command
from eaas.cli.line import FAILED, Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.errors import Forbidden, Unauthenticated, Unreachable
from eaas.folder_file import ENDINGS
from eaas.views import FolderView, Page

NOBODY: Final = (Unreachable, Unauthenticated, Forbidden)
"""Without a controller that answers us, a check is of the files alone."""
MOST_TRIED: Final = 100


@click.command(cls=Command)
@asks
async def list_folders(line: Line, client: Client) -> None:
    """List the watched folders.

    ACCEPTED and REFUSED count what was taken since the controller's start; LEFT is what lies there
    and is not taken, since its name is no job file's or it can't be moved. OPEN TO says who may put
    files there; sudo chgrp GROUP FOLDER lets a group in.
    """
    folders: list[FolderView] = await client.folders()
    line.out.answer(Page(folders), lambda: [folder_table(folders)])


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@asks
async def check(line: Line, client: Client, files: tuple[str, ...]) -> int | None:
    """Check job files for a watched folder.

    Every mistake is named as FILE:LINE:COLUMN; nothing is submitted. If a controller answers, it
    says what would become of the jobs now; jobs that could never start are refused, here as there.
    """
    checked, wrong = checked_files(files)
    if wrong and not line.out.is_table:
        raise all_mistakes(wrong)
    for file in files:
        if not file.lower().endswith(ENDINGS):
            line.out.remark(f"{file}: a watched folder only takes names that end in .yaml or .yml")
    checked = await _tried(client, checked)
    if checked:
        line.out.answer(Page(checked), lambda: [Lines(list(check_lines(checked)))])
    for text in (text for one in wrong for text in one.lines()):
        line.out.remark(text)
    dry_runs = (dry for one in checked for dry in one.dry_runs or ())
    bad = any(not dry.valid or dry.would == "never" for dry in dry_runs)
    return FAILED if bad or wrong else None


async def _tried(client: Client, checked: list[CheckedFile]) -> list[CheckedFile]:
    """Return the files with what the controller says, if one answers."""
    tried: list[CheckedFile] = []
    try:
        for one in checked:
            dry_runs = [await client.dry_run(job) for job in one.jobs[:MOST_TRIED]]
            tried.append(msgspec.structs.replace(one, dry_runs=dry_runs))
    except NOBODY:
        return checked
    return tried
