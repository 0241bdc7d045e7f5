"""A job's log as a file beside the job's own file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from eaas.errors import EaasError
from eaas.views import JobView
from eaas_daemon.intake import names
from eaas_daemon.intake.folder import opened
from eaas_daemon.logs.store import LogStore


async def copy_log(
    logs: LogStore, path: Path, name: str, jobs: Sequence[JobView], service_uid: int
) -> None:
    """Write the log of each job's last attempt, both streams as they came.

    Raises OSError or ``FolderUnusable``. A log that is gone leaves the sentence that says so.
    """
    for job in jobs:
        ending = names.LOG if len(jobs) == 1 else f".{job.id}{names.LOG}"
        with opened(path, service_uid) as folder, folder.log_beside(name, ending) as file:
            offset = 0
            while job.attempt:
                try:
                    part = await logs.read(job.uid, job.attempt, "both", offset)
                except EaasError as gone:
                    file.write(f"{gone.sentence}\n".encode())
                    break
                if not part.data:
                    break
                await asyncio.to_thread(file.write, part.data)
                offset += len(part.data)
