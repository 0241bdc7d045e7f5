"""``down``: stop what ``up`` started. Jobs run on unless they are meant too."""

import asyncio
import os
import signal
from typing import Final

import click

from eaas.cli.by_hand import by_hand, what_runs
from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Lines
from eaas.cli.processes import DEMO, one_at_a_time, programs, stop
from eaas.cli.words import many
from eaas.client import Address, Client
from eaas.errors import EaasError, Unreachable
from eaas.lifecycle import ENDED, NodeState
from eaas.paths import Paths, paths_from

END_S: Final = 20.0
KILLED_S: Final = 10.0
JOBS_END_S: Final = 120.0
PATIENCE_S: Final = 5.0
"""How long a controller may be silent, asked for a number or while its jobs end."""


class DidNotEnd(EaasError):
    """A program or a job was asked to end and did not."""

    code = "did_not_end"


class StillRuns(EaasError):
    """Somebody else started it, so it is theirs to stop."""

    code = "still_runs"


@click.command(cls=Command)
@click.option("--stop-jobs", is_flag=True, help="Cancel every job first.")
@prints
def down(line: Line, stop_jobs: bool) -> None:
    """Stop the pool's programs on this machine.

    Jobs run on, and the next `up` finds them; --stop-jobs cancels them first. What was started by
    hand or by a service is left alone and named, and the exit code is then 1.
    """
    paths = paths_from(os.environ)
    with one_at_a_time(paths):
        stopped, left = asyncio.run(take_down(paths, stop_jobs=stop_jobs))
    if others := by_hand(paths):
        before = f"stopped {', '.join(stopped)}; " if stopped else ""
        raise StillRuns(before + what_runs(others))
    said = f"stopped {', '.join(stopped)}" if stopped else "nothing of this pool ran here"
    if left and stop_jobs:
        said += f"; {many(left, 'job')} on nodes that are offline, to end when those are back"
    elif left:
        again = "mini-eaas up --demo" if DEMO in stopped else "mini-eaas up"
        said += f"; {many(left, 'job')} still running, and the next {again} finds them"
    answer = {"stopped": stopped, "jobs_left": left}
    line.out.answer(answer, lambda: [Lines([said])])


async def take_down(paths: Paths, *, stop_jobs: bool) -> tuple[list[str], int | None]:
    """Stop the programs; return which they were, and how many jobs run on (None: unknown)."""
    found = programs(paths)
    if stop_jobs and DEMO in found:
        await _stop(paths, DEMO)  # or it would submit more
    left = await _jobs(paths, stop_jobs=stop_jobs)
    for program in found:
        await _stop(paths, program)
    return found, left


async def _jobs(paths: Paths, *, stop_jobs: bool) -> int | None:
    """Return how many jobs run on, after stopping them if that was asked for."""
    async with Client(Address(socket=paths.socket)) as client:
        try:
            if stop_jobs:
                return await _stop_jobs(client)
            async with asyncio.timeout(PATIENCE_S):
                return (await client.status()).running
        except TimeoutError:
            return None
        except Unreachable as error:
            if stop_jobs:
                raise DidNotEnd(f"jobs can't be stopped: {error.sentence}") from error
            return None


async def _stop_jobs(client: Client) -> int:
    """Cancel every job and wait for their ends; return how many are out of reach.

    A job on a node that is offline ends when its node is back.
    """
    offline = {node.name for node in await client.nodes() if node.state == NodeState.OFFLINE}
    jobs = [await client.cancel(job.id) async for job in client.each_job()]
    within_reach = [job.id for job in jobs if job.node not in offline or job.state in ENDED]
    try:
        async with asyncio.timeout(JOBS_END_S):
            await client.wait(*within_reach, patience_s=PATIENCE_S)
    except TimeoutError as error:
        raise DidNotEnd(
            f"some jobs have not ended within {JOBS_END_S:g} s of being cancelled; "
            "mini-eaas job list names them"
        ) from error
    return len(jobs) - len(within_reach)


async def _stop(paths: Paths, program: str) -> None:
    """End the program; one that hangs is killed, which all of them are built to survive."""
    if await stop(paths, program, within_s=END_S):
        return
    if not await stop(paths, program, within_s=KILLED_S, by=signal.SIGKILL):
        raise DidNotEnd(f"{program} has not ended {KILLED_S:g} s after SIGKILL")
