"""Looking at jobs: list, show, why, wait."""

import asyncio
from contextlib import aclosing

import click

from eaas.array_views import ArrayView
from eaas.cli import complete
from eaas.cli.arrays import array_card, array_line, means_array, open_numbers
from eaas.cli.draw_jobs import job_card, job_line, job_table, rank_lines, why_picture
from eaas.cli.exits import WaitedTooLong
from eaas.cli.following import hint, last_words
from eaas.cli.group import Command
from eaas.cli.kinds import Duration, JobName
from eaas.cli.line import FAILED, Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.job_parts import ids_meant
from eaas.job_ref import job_ref
from eaas.lifecycle import ENDED, JobState
from eaas.spelling import nearest, shown
from eaas.views import JobView, Page


class State(click.ParamType[str]):
    """A job's state, in any case."""

    name = "state"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the state as it is spelled."""
        by_plain = {str(state).lower(): str(state) for state in JobState}
        found = by_plain.get(str(value).lower())
        if found is None:
            near = nearest(str(value), by_plain.values())
            states = ", ".join(by_plain.values())
            meant = f"did you mean {near}?" if near else f"there are {states}"
            self.fail(f"{shown(value)} is no state of a job; {meant}", param, ctx)
        return found


@click.command(cls=Command)
@click.option("--state", type=State(), help="Only jobs in this state, ended ones too.")
@click.option(
    "--pool", metavar="POOL", shell_complete=complete.pools, help="Only jobs of this pool."
)
@click.option("--queue", metavar="QUEUE", help="Only jobs of this queue.")
@click.option("--user", metavar="USER", help="Only jobs of this user.")
@click.option("--all", is_flag=True, help="Ended jobs too.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many.")
@asks
async def list_jobs(
    line: Line,
    client: Client,
    state: str | None,
    pool: str | None,
    queue: str | None,
    user: str | None,
    all: bool,
    limit: int | None,
) -> None:
    """List jobs that have not ended."""
    filters = {"state": state, "pool": pool, "queue": queue, "user": user, "all": all}
    found = [job async for job in client.each_job(limit=limit, **filters)]
    line.out.answer(Page(found), lambda: [job_table(found)])


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.all_job_ids)
@asks
async def show(line: Line, client: Client, id: str) -> None:
    """Show everything about a job."""
    job = await client.job(id)
    if means_array(id, job):
        array = await client.array(id)
        line.out.answer(array, lambda: array_card(array))
        return
    others = [await client.job(each) for each in ids_meant(job, id)[1:]]
    words: list[str] = []
    if line.out.is_table and job.state == JobState.FAILED:
        words = await last_words(client, job)
    advice = hint(job)
    line.out.answer(
        job,
        lambda: [
            *job_card(job),
            *([rank_lines([job, *others])] if others else []),
            *([Lines(["the last lines it wrote:", *words])] if words else []),
            *([Lines([advice])] if advice else []),
        ],
    )


@click.command(cls=Command)
@click.argument("id", type=JobName(), shell_complete=complete.job_ids)
@asks
async def why(line: Line, client: Client, id: str) -> None:
    """Say why a job waits, and what would help."""
    view = await client.why_all(id)
    line.out.answer(view, lambda: why_picture(view))


@click.command(cls=Command)
@click.argument(
    "names",
    type=JobName(),
    nargs=-1,
    required=True,
    metavar="ID...",
    shell_complete=complete.job_ids,
)
@click.option("--timeout", type=Duration(), help="Give up after this long, with exit code 124.")
@asks
async def wait(line: Line, client: Client, names: tuple[str, ...], timeout: float | None) -> int:
    """Wait until jobs have ended.

    The exit code is 0 only if every one of them Succeeded.
    """
    found = {name: await _meant(client, name) for name in names}
    ids = {number for _, numbers in found.values() for number in numbers}
    last: dict[int, JobView] = {}
    try:
        async with asyncio.timeout(timeout), aclosing(client.watch(ids)) as views:
            async for view in views:
                last[view.id] = view
    except TimeoutError:
        standing = ", ".join(job_line(view) for view in last.values() if view.state not in ENDED)
        raise WaitedTooLong(f"still not ended: {standing or 'all of them'}") from None
    ended: list[JobView | ArrayView] = []
    for array, numbers in found.values():
        whole = [] if array is None else [await client.array(array)]
        ended += whole or [last[number] for number in numbers]
    answer = ended[0] if len(ended) == 1 else Page(ended)
    line.out.answer(answer, lambda: [Lines([_ended_line(one) for one in ended])])
    return 0 if all(one.state == JobState.SUCCEEDED for one in ended) else FAILED


async def _meant(client: Client, name: str) -> tuple[int | None, list[int]]:
    """Return the number of an array, if the name is that of one, and which jobs to wait for."""
    ref = job_ref(name)
    if ref is not None and ref.indices is not None and ref.index is None:
        raise click.UsageError(f"{name} names several tasks; wait for {ref.number}, or for each")
    job = await client.job(name)
    if means_array(name, job):
        return job.id, open_numbers(await client.array(name))
    return None, ids_meant(job, name)


def _ended_line(ended: JobView | ArrayView) -> str:
    return job_line(ended) if isinstance(ended, JobView) else array_line(ended)
