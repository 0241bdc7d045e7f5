"""``queue``: create, set, show, list, pause, resume, delete."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from eaas.cli import complete
from eaas.cli.draw_pool import queue_facts, queue_table
from eaas.cli.group import Command
from eaas.cli.kinds import COUNT, SPAN, Limit, QueueRef, limits
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.views import Page, QueueView
from eaas.wire.rest import SetQueue

F = TypeVar("F", bound=Callable[..., Any])

Ref = tuple[str, str]

REF = click.argument("ref", type=QueueRef(), metavar="POOL/QUEUE", shell_complete=complete.queues)

PRIORITY = click.IntRange(-100, 100)

SETTINGS = (
    click.option("--priority", type=PRIORITY, help="Higher queues go first within the pool."),
    click.option("--max-running", type=COUNT, help="How many jobs may run at once."),
    click.option("--max-gpus", type=COUNT, help="How many cards its jobs may hold at once."),
    click.option("--max-pending", type=COUNT, help="How many jobs may wait."),
    click.option("--max-per-user", type=COUNT, help="How many of one user may run at once."),
    click.option("--max-gpus-per-user", type=COUNT, help="How many cards one user may hold."),
    click.option("--max-priority", type=Limit(PRIORITY), help="The highest a job may ask for."),
    click.option("--timeout", type=SPAN, help="For jobs that name none."),
    click.option("--max-timeout", type=SPAN, help="The longest a job may ask for."),
    click.option(
        "--hold-after",
        type=SPAN,
        help="When freed cards are kept for its first job (default: 10m).",
    ),
    click.option(
        "--preemptible",
        type=click.Choice(["yes", "no"]),
        help="Whether its jobs may be interrupted for those of higher queues.",
    ),
    click.option("--allow", metavar="USER,...", help="Who may use it; an empty text is everybody."),
)


def _settings(command: F) -> F:
    for option in reversed(SETTINGS):
        command = option(command)
    return command


@click.command(cls=Command)
@REF
@_settings
@asks
async def create(line: Line, client: Client, /, ref: Ref, **typed: Any) -> None:
    """Create a queue."""
    _show(line, await client.create_queue(*ref, _body(typed)))


@click.command(cls=Command)
@REF
@_settings
@asks
async def change(line: Line, client: Client, /, ref: Ref, **typed: Any) -> None:
    """Change a queue's priority and limits.

    What is not named stays as it is; none takes a limit away.
    """
    body = _body(typed)
    if body == SetQueue():
        raise click.UsageError("say what to change; --help lists what a queue has")
    _show(line, await client.set_queue(*ref, body))


@click.command(cls=Command)
@REF
@asks
async def show(line: Line, client: Client, ref: Ref) -> None:
    """Show a queue."""
    _show(line, await client.queue(*ref))


@click.command(cls=Command)
@click.option("--pool", shell_complete=complete.pools, help="Only queues of this pool.")
@asks
async def list_queues(line: Line, client: Client, pool: str | None) -> None:
    """List the queues."""
    queues = [queue for queue in await client.queues() if pool in (None, queue.pool)]
    line.out.answer(Page(queues), lambda: [queue_table(queues)])


@click.command(cls=Command)
@REF
@asks
async def pause(line: Line, client: Client, ref: Ref) -> None:
    """Start no more jobs of a queue.

    What runs already runs on.
    """
    queue = await client.set_queue(*ref, SetQueue(paused=True))
    line.out.answer(queue, lambda: [Lines([f"queue {queue.ref} is paused"])])


@click.command(cls=Command)
@REF
@asks
async def resume(line: Line, client: Client, ref: Ref) -> None:
    """Start jobs of a paused queue again."""
    queue = await client.set_queue(*ref, SetQueue(paused=False))
    line.out.answer(queue, lambda: [Lines([f"queue {queue.ref} is open"])])


@click.command(cls=Command)
@REF
@asks
async def delete(line: Line, client: Client, ref: Ref) -> None:
    """Delete a queue.

    Nothing may wait or run in it.
    """
    answer = await client.delete_queue(*ref)
    line.out.answer(answer, lambda: [Lines([f"queue {'/'.join(ref)} is deleted"])])


def _body(typed: dict[str, Any]) -> SetQueue:
    values = limits(typed)
    allow = values.pop("allow", None)
    if allow is not None:
        values["allow"] = [user.strip() for user in allow.split(",") if user.strip()]
    if "preemptible" in values:
        values["preemptible"] = values["preemptible"] == "yes"
    for key in ("timeout", "max_timeout", "hold_after"):
        if key in values:
            values[f"{key}_s"] = values.pop(key)
    return msgspec.convert(values, SetQueue)


def _show(line: Line, queue: QueueView) -> None:
    line.out.answer(queue, lambda: [queue_facts(queue)])
