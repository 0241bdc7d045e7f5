"""Steering jobs: cancel, priority, top, move, retry, keep."""

from collections.abc import Callable

import click

from eaas.cli import complete
from eaas.cli.arrays import done_line
from eaas.cli.draw_jobs import job_line
from eaas.cli.group import Command, NumbersCommand
from eaas.cli.kinds import Duration, JobName
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.client.arrays import Done
from eaas.views import JobView, Page


@click.command(cls=Command)
@click.argument(
    "ids",
    type=JobName(),
    nargs=-1,
    required=True,
    metavar="ID...",
    shell_complete=complete.job_ids,
)
@click.option("--grace", type=Duration(), help="How long the job may take to end by itself.")
@asks
async def cancel(line: Line, client: Client, ids: tuple[str, ...], grace: float | None) -> None:
    """Stop jobs, or take them out of the line.

    A job that ended already stays as it is, and that is no error.
    """
    found = [await client.cancel_all(id, grace_s=grace) for id in ids]
    answer = found[0] if len(found) == 1 else Page(found)
    line.out.answer(answer, lambda: [Lines([done_line(job) for job in found])])


@click.command(cls=NumbersCommand)
@click.argument("id", type=JobName(), shell_complete=complete.job_ids)
@click.argument("priority", type=click.IntRange(-100, 100))
@asks
async def priority(line: Line, client: Client, id: str, priority: int) -> None:
    """Change a waiting job's priority.

    From -100 to 100; higher goes first within the queue.
    """
    job = await client.patch_all(id, priority=priority)
    _say(line, job, lambda job: f"{job.ref} has priority {job.priority}")


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.job_ids)
@asks
async def top(line: Line, client: Client, id: str) -> None:
    """Make a job the next of its queue."""
    _say(line, await client.top_all(id), _on_top)


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.job_ids)
@click.option(
    "--queue",
    required=True,
    metavar="QUEUE",
    shell_complete=complete.queues,
    help="A queue of the job's pool, or POOL/QUEUE.",
)
@asks
async def move(line: Line, client: Client, id: str, queue: str) -> None:
    """Move a waiting job to another queue."""
    job = await client.patch_all(id, queue=queue)
    _say(line, job, lambda job: f"{job.ref} is in {job.pool}/{job.queue}")


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.all_job_ids)
@asks
async def retry(line: Line, client: Client, id: str) -> None:
    """Run an ended job once more."""
    _say(line, await client.retry_all(id), job_line)


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.all_job_ids)
@click.option("--for", "for_s", type=Duration(), required=True, help="How long from now.")
@asks
async def keep(line: Line, client: Client, id: str, for_s: float) -> None:
    """Keep a job's workspace for longer."""
    job = await client.keep_all(id, for_s=for_s)
    _say(line, job, lambda job: f"{job.ref} keeps its workspace {job.workspace or ''}".rstrip())


def _on_top(job: JobView) -> str:
    place = "" if job.position is None else f", #{job.position} in line"
    return f"{job_line(job)}{place}"


def _say(line: Line, done: Done, text: Callable[[JobView], str]) -> None:
    """Answer with the text about the job, or with how many tasks of an array it was done to."""
    line.out.answer(
        done, lambda: [Lines([text(done) if isinstance(done, JobView) else done_line(done)])]
    )
