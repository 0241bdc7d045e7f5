"""``down``: stop what ``up`` started. Jobs run on unless they are meant too."""

import asyncio
import os
from typing import Final

import click

from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Lines
from eaas.cli.processes import one_at_a_time, programs, stop
from eaas.cli.words import many
from eaas.client import Address, Client
from eaas.errors import EaasError, Unreachable
from eaas.paths import Paths, paths_from

END_S: Final = 20.0
JOBS_END_S: Final = 120.0


class DidNotEnd(EaasError):
    """A program or a job was asked to end and did not."""

    code = "did_not_end"


@click.command(cls=Command)
@click.option("--stop-jobs", is_flag=True, help="Cancel every job first.")
@prints
def down(line: Line, stop_jobs: bool) -> None:
    """Stop the pool's programs on this machine.

    Jobs run on, and the next `up` finds them; --stop-jobs cancels them first.
    """
    paths = paths_from(os.environ)
    with one_at_a_time(paths):
        stopped, left = asyncio.run(take_down(paths, stop_jobs=stop_jobs))
    said = f"stopped {', '.join(stopped)}" if stopped else "nothing of this pool ran here"
    if left:
        said += f"; {many(left, 'job')} still running, and the next mini-eaas up finds them"
    answer = {"stopped": stopped, "jobs_left": left}
    line.out.answer(answer, lambda: [Lines([said])])


async def take_down(paths: Paths, *, stop_jobs: bool) -> tuple[list[str], int | None]:
    """Stop the programs; return which they were, and how many jobs run on (None: unknown)."""
    found = programs(paths)
    if stop_jobs and "demo" in found:
        await _stop(paths, "demo")
    left = await _jobs(paths, stop_jobs=stop_jobs)
    for program in found:
        await _stop(paths, program)
    return found, left


async def _jobs(paths: Paths, *, stop_jobs: bool) -> int | None:
    async with Client(Address(socket=paths.socket)) as client:
        try:
            if not stop_jobs:
                return (await client.status()).running
            ids = [job.id async for job in client.each_job()]
            for id in ids:
                await client.cancel(id)
            async with asyncio.timeout(JOBS_END_S):
                await client.wait(*ids)
            return 0
        except Unreachable as error:
            if stop_jobs:
                raise DidNotEnd(f"jobs can't be stopped: {error.sentence}") from error
            return None
        except TimeoutError as error:
            raise DidNotEnd(
                f"some jobs have not ended within {JOBS_END_S:g} s of being cancelled; "
                "mini-eaas job list names them"
            ) from error


async def _stop(paths: Paths, program: str) -> None:
    if not await stop(paths, program, within_s=END_S):
        raise DidNotEnd(f"{program} has not ended {END_S:g} s after SIGTERM")
