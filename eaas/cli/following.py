"""Following a job's log to its end, and what to say of a job that did not make it."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Final

from eaas.cli.draw_jobs import state
from eaas.cli.log_printer import LogPrinter
from eaas.cli.output import Output
from eaas.client import Client
from eaas.client.logs import Stream
from eaas.errors import NotFound, NotYours
from eaas.lifecycle import ENDED, JobState
from eaas.safe_text import safe_log
from eaas.views import JobView, PhaseView

LAST_LINES: Final = 50


async def follow(
    client: Client,
    printer: LogPrinter,
    id: int,
    *,
    attempt: int = 1,
    stream: Stream = "both",
    offset: int = 0,
    only: bool = False,
) -> JobView:
    """Print the job's log as it grows until the job has ended; return how it ended.

    Begins at ``offset`` of ``attempt`` and goes on with later attempts, unless ``only`` that one
    is meant.
    """
    read = client.follow_attempt if only else client.follow_log
    async with aclosing(read(id, attempt, stream=stream, offset=offset)) as pieces:
        async for piece in pieces:
            await printer.add(piece)
    printer.end()
    return await client.job(id)


@asynccontextmanager
async def telling(client: Client, out: Output, id: int) -> AsyncIterator[None]:
    """Tell a person at a terminal what becomes of the job until it runs: why it waits, the pull."""
    if not (out.is_terminal and out.is_table):
        yield
        return
    task = asyncio.create_task(_tell(client, out, id))  # no group: a refusal stays what it is
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _tell(client: Client, out: Output, id: int) -> None:
    last: tuple[object, ...] = ()
    async with aclosing(client.watch([id])) as views:
        async for view in views:
            if view.state not in (JobState.PENDING, JobState.STARTING):
                return
            why = f": {view.reason.text}" if view.reason is not None else ""
            if (step := (view.state, why, _tenth(view.phase))) != last:
                out.remark(f"job {view.ref} {state(view)}{why}")
                last = step


def _tenth(phase: PhaseView | None) -> tuple[str, int] | None:
    """Return the phase and how many tenths of it are done: enough to tell a person."""
    if phase is None:
        return None
    return phase.name, int(10 * (phase.done_bytes or 0) / (phase.total_bytes or 1))


def detached(id: int) -> None:
    """Say that a job goes on without anybody watching."""
    print(
        f"\njob {id} runs on; mini-eaas job logs {id} --follow watches it again, "
        f"mini-eaas job cancel {id} stops it",
        file=sys.stderr,
    )


async def last_words(client: Client, job: JobView) -> list[str]:
    """Return the last lines of the job's last attempt; none when they are somebody else's."""
    if not job.attempt:
        return []
    try:
        piece = await client.tail_log(job.id, job.attempt, LAST_LINES)
    except (NotFound, NotYours):
        return []
    return safe_log(piece.data).splitlines()


def verdict(job: JobView) -> str:
    """Return how an ended job ended: ``job 42 Failed (3): exited with code 3``."""
    why = f": {job.reason.text}" if job.reason is not None else ""
    return f"job {job.ref} {state(job)}{why}"


def hint(job: JobView) -> str | None:
    """Return what to try with a job that ended badly."""
    if job.state not in ENDED or job.state in (JobState.SUCCEEDED, JobState.CANCELLED):
        return None
    again = f"mini-eaas job retry {job.ref} runs it once more"
    if job.oom_killed:
        return f"it needs more memory than it asked for: submit it with a larger --memory; {again}"
    if job.state == JobState.TIMED_OUT:
        return f"it needs more time than its timeout: submit it with a larger --timeout; {again}"
    if job.exit_code == 127:
        return f"exit code 127 is a command that was not found: check the image and PATH; {again}"
    if job.exit_code == 126:
        return f"exit code 126 is a file that may not be executed: check its mode; {again}"
    if job.attempt:
        return f"mini-eaas job logs {job.ref} shows all it wrote; {again}"
    return again
