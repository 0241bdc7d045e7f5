"""What a controller says of checked files: which folder they go to, what would become of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from eaas.cli.checked import CheckedFile, CheckedOrder
from eaas.client import Client
from eaas.errors import NotFound
from eaas.lifecycle import ENDED, JobState
from eaas.views import FolderView, JobView, StatusView

MOST_TRIED: Final = 100


def folder_for(file: str, folders: Sequence[FolderView], chosen: str | None) -> FolderView | None:
    """Return the folder that the file would go to: the chosen one, else the one it lies in.

    Else any one if it is all the same to its jobs; else None. Raises NotFound for a chosen one
    that is not watched.
    """
    if chosen is not None:
        found = _at(Path(chosen), folders)
        if found is None:
            listed = ", ".join(folder.path for folder in folders) or "none"
            raise NotFound(f"{chosen} is not watched; there are: {listed}")
        return found
    here = _at(Path(file).parent, folders)
    if here is not None:
        return here
    kinds = {(folder.pool, folder.queue, folder.user) for folder in folders}
    return folders[0] if len(kinds) == 1 else None


def _at(path: Path, folders: Sequence[FolderView]) -> FolderView | None:
    ways = {str(path), str(path.resolve())}
    same = (folder for folder in folders if {folder.path, str(Path(folder.path).resolve())} & ways)
    return next(same, None)


async def judged(
    client: Client, checked: Sequence[CheckedFile], folders: Sequence[FolderView]
) -> list[CheckedFile]:
    """Return the files with what the controller says of their jobs and orders."""
    by_path = {folder.path: folder for folder in folders}
    me = await client.status() if any(one.orders for one in checked) else None
    known: list[CheckedFile] = []
    for one in checked:
        dry_runs = [await client.dry_run(job) for job in one.jobs[:MOST_TRIED]]
        folder = None if one.folder is None else by_path.get(one.folder)
        orders = [
            await _ordered(client, order, me, folder) if place < MOST_TRIED and me else order
            for place, order in enumerate(one.orders)
        ]
        known.append(msgspec.structs.replace(one, dry_runs=dry_runs, orders=orders))
    return known


async def _ordered(
    client: Client, order: CheckedOrder, me: StatusView, folder: FolderView | None
) -> CheckedOrder:
    try:
        job = await client.job(order.job)
    except NotFound as missing:
        return _with(order, "refuse", f"would be refused: {missing.sentence}")
    if (whose := _not_theirs(job, me, folder)) is not None:
        return _with(order, "refuse", f"would be refused: {whose}")
    if JobState(job.state) in ENDED:
        return _with(order, "nothing", f"nothing would be done: it has ended already, {job.state}")
    return _with(order, "do", f"it is {job.state}")


def _with(order: CheckedOrder, would: str, text: str) -> CheckedOrder:
    return msgspec.structs.replace(order, would=would, text=f"job {order.job}: {text}")


def _not_theirs(job: JobView, me: StatusView, folder: FolderView | None) -> str | None:
    """Return why the order would not be obeyed: whoever puts it there is no admin in most."""
    who = me.user if folder is None or folder.user is None else folder.user
    if job.user == who:
        return None
    if me.role == "admin" and (folder is None or (folder.private and folder.user is None)):
        return None
    return f"it is {job.user}'s, and in this folder your files are {who}'s word"
