"""``job logs``: what a job wrote, whole, in part, or as it comes."""

from typing import Literal

import click

from eaas.cli import complete
from eaas.cli.arrays import one_job
from eaas.cli.draw_jobs import state
from eaas.cli.following import follow
from eaas.cli.group import Command
from eaas.cli.kinds import JobName
from eaas.cli.line import Line, asks
from eaas.cli.log_printer import LogPrinter, Times
from eaas.client import Client
from eaas.client.logs import LogSlice, Stream
from eaas.views import JobView, LogTimeView

STREAMS = ("stdout", "stderr")


@click.command(cls=Command)
@click.argument("name", type=JobName(), shell_complete=complete.all_job_ids, metavar="ID")
@click.option("-f", "--follow", "following", is_flag=True, help="Go on until the job has ended.")
@click.option(
    "-n", "--tail", type=click.IntRange(min=0), metavar="N", help="Only the last N lines."
)
@click.option("-t", "--timestamps", is_flag=True, help="Before each line when it arrived.")
@click.option(
    "--attempt", type=click.IntRange(min=1), metavar="N", help="This attempt (default: the last)."
)
@click.option("--stream", type=click.Choice(STREAMS), help="Only this stream (default: both).")
@click.option("--raw", is_flag=True, help="The exact bytes of one stream (default: stdout).")
@asks
async def logs(
    line: Line,
    client: Client,
    name: str,
    following: bool,
    tail: int | None,
    timestamps: bool,
    attempt: int | None,
    stream: Literal["stdout", "stderr"] | None,
    raw: bool,
) -> None:
    """Print what a job wrote."""
    if raw:
        _refuse_raw(line, timestamps=timestamps)
    of: Stream = stream or ("stdout" if raw else "both")
    job = await one_job(client, name, "logs")
    id = job.id
    number = attempt or job.attempt
    if not number and not following:
        line.out.remark(_not_begun(job))
        return
    times = _times(client, id, of) if timestamps else None
    printer = LogPrinter(line.out, id, of, raw=raw, times=times)
    offset, wrote = 0, False
    if number and tail is not None:
        piece = await client.tail_log(id, number, tail, stream=of)
        if piece.data:
            await printer.add(piece)
        offset = piece.next
    if following:
        await follow(
            client,
            printer,
            id,
            attempt=max(1, number),
            stream=of,
            offset=offset,
            only=attempt is not None,
        )
    elif tail is None:
        async for piece in client.read_log(id, number, stream=of):
            if piece.data:
                await printer.add(piece)
                wrote = True
    printer.end()
    if not (wrote or following or raw or offset):
        line.out.remark(f"job {job.ref} has written nothing")


def _times(client: Client, id: int, stream: Stream) -> Times:
    async def times(piece: LogSlice) -> list[LogTimeView]:
        return await client.log_times(
            id, piece.attempt, stream=stream, offset=piece.offset, limit=len(piece.data)
        )

    return times


def _refuse_raw(line: Line, *, timestamps: bool) -> None:
    if timestamps:
        raise click.UsageError("--raw is the exact bytes: there is no room for --timestamps")
    if not line.out.is_table:
        raise click.UsageError("--raw is bytes: it can't be json or yaml")
    if line.out.is_terminal:
        raise click.UsageError(
            "--raw would send whatever the job wrote to your terminal: send it to a file or a pipe"
        )


def _not_begun(job: JobView) -> str:
    why = f": {job.reason.text}" if job.reason is not None else ""
    return f"job {job.ref} has written nothing yet; it is {state(job)}{why}"
