"""The whole in one glance: status, gpus, events."""

from contextlib import aclosing
from functools import partial

import click

from eaas.cli import complete
from eaas.cli.draw_pool import card_table, event_line, status_card
from eaas.cli.group import Command
from eaas.cli.kinds import JobName
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.views import EventView, Page
from eaas.wire.to_client import Changes, Snapshot

NEWEST = 50


@click.command(cls=Command)
@asks
async def status(line: Line, client: Client) -> None:
    """Show the controller in one glance."""
    view = await client.status()
    line.out.answer(view, lambda: status_card(view))


@click.command(cls=Command)
@asks
async def gpus(line: Line, client: Client) -> None:
    """Show every card: who has a free one."""
    cards = await client.cards()
    line.out.answer(Page(cards), lambda: [card_table(cards)])


@click.command(cls=Command)
@click.option("-f", "--follow", is_flag=True, help="Go on as things happen.")
@click.option(
    "--after", type=click.IntRange(min=0), metavar="SEQ", help="Only what came after that seq."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most so many, the newest (default: {NEWEST}).",
)
@click.option("--job", type=JobName(), shell_complete=complete.all_job_ids, help="Of this job.")
@asks
async def events(
    line: Line,
    client: Client,
    follow: bool,
    after: int | None,
    limit: int | None,
    job: str | None,
) -> None:
    """Show what happened."""
    about = None if job is None else await _number(client, job)
    page = await client.events(after=after, limit=limit or NEWEST, job=about)
    if not follow:
        line.out.answer(page, lambda: [Lines([event_line(event) for event in page.items])])
        return
    for event in page.items:
        line.out.item(event, partial(event_line, event))
    await _follow(line, client, page.items[-1].seq if page.items else after or 0, about)


async def _number(client: Client, name: str) -> int:
    """Return the job's number; what was written about one is there for longer than the job."""
    return int(name) if name.isdecimal() else (await client.job(name)).id


async def _follow(line: Line, client: Client, seen: int, job: int | None) -> None:
    """Print events after ``seen``; the stream says when there are some."""

    def show(event: EventView) -> None:
        nonlocal seen
        if event.seq > seen:
            seen = event.seq
            line.out.item(event, lambda: event_line(event))

    async with aclosing(client.stream()) as frames:
        async for frame in frames:
            if isinstance(frame, Snapshot):
                missed = (await client.events(after=seen, job=job)).items
            elif isinstance(frame, Changes):
                missed = [event for event in frame.events if job in (None, event.job)]
            else:
                continue
            for event in missed:
                show(event)
