"""A job's log as a file beside the job's own file."""

from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.views import JobView
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.own_thread import OwnThread
from eaas_daemon.intake.written import Part
from eaas_daemon.logs.store import LogStore

NO_MORE: Final = b"\n[the rest of this log has not come from its node]\n"


async def copy_log(
    logs: LogStore,
    thread: OwnThread,
    path: Path,
    beside: tuple[str, str],
    job: JobView,
    service_uid: int,
) -> None:
    """Write the log of the job's last attempt, both streams as they came.

    ``beside`` are the accepted file's name, and the ending that the log's name has after it.

    A log that is gone leaves the sentence that says so. Raises OSError or ``FolderUnusable``,
    FileNotFoundError when the accepted file is gone.
    """
    part = await thread.do(_begun, path, *beside, service_uid)
    try:
        await _copy(logs, thread, job, part)
    except BaseException:
        part.abandon()
        raise
    await thread.do(part.finish)


def _begun(path: Path, name: str, ending: str, service_uid: int) -> Part:
    with opened(path, service_uid) as folder:
        return folder.begin_beside(name, ending)


async def _copy(logs: LogStore, thread: OwnThread, job: JobView, part: Part) -> None:
    offset = 0
    while job.attempt:
        try:
            read = await logs.read(job.uid, job.attempt, "both", offset)
        except EaasError as gone:
            await thread.do(part.write, f"[{gone.sentence}]\n".encode())
            return
        if not read.data:
            if not read.complete:
                await thread.do(part.write, NO_MORE)
            return
        await thread.do(part.write, read.data)
        offset += len(read.data)
