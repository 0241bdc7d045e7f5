"""``pool``: create, list, show, set, delete, add, remove."""

from typing import Any

import click
import msgspec

from eaas.cli import complete
from eaas.cli.draw_pool import pool_table, pool_users, queue_table
from eaas.cli.group import Command
from eaas.cli.kinds import COUNT, Duration, limits
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.views import Page
from eaas.wire.rest import SetPool

POOL = click.argument("pool", shell_complete=complete.pools)
NODE = click.argument("node", shell_complete=complete.nodes)


@click.command(cls=Command)
@click.argument("name")
@asks
async def create(line: Line, client: Client, name: str) -> None:
    """Create an empty pool.

    It comes with a queue named default.
    """
    pool = await client.create_pool(name)
    said = f"pool {pool.name} has no node yet; mini-eaas pool add {pool.name} NODE adds one"
    line.out.answer(pool, lambda: [Lines([said])])


@click.command(cls=Command)
@asks
async def list_pools(line: Line, client: Client) -> None:
    """List the pools."""
    pools = await client.pools()
    line.out.answer(Page(pools), lambda: [pool_table(pools)])


@click.command(cls=Command)
@POOL
@asks
async def show(line: Line, client: Client, pool: str) -> None:
    """Show a pool and its queues."""
    view = await client.pool(pool)
    queues = [queue for queue in await client.queues() if queue.pool == pool]
    line.out.answer(view, lambda: [pool_table([view]), queue_table(queues), *pool_users(view)])


@click.command(cls=Command)
@POOL
@click.option("--max-gpus-per-user", type=COUNT, help="How many cards one user may hold at once.")
@click.option(
    "--half-life", type=Duration(), help="After how long a card-hour counts half in fair share."
)
@asks
async def change(
    line: Line, client: Client, /, pool: str, max_gpus_per_user: Any, half_life: float | None
) -> None:
    """Change what users may have of a pool.

    What is not named stays as it is; none takes the limit away.
    """
    typed = {"max_gpus_per_user": max_gpus_per_user, "half_life_s": half_life}
    body = msgspec.convert(limits(typed), SetPool)
    if body == SetPool():
        raise click.UsageError("say what to change; --help lists what a pool has")
    view = await client.set_pool(pool, body)
    line.out.answer(view, lambda: [pool_table([view]), *pool_users(view)])


@click.command(cls=Command)
@POOL
@asks
async def delete(line: Line, client: Client, pool: str) -> None:
    """Delete a pool.

    Nothing may wait or run in it.
    """
    answer = await client.delete_pool(pool)
    line.out.answer(answer, lambda: [Lines([f"pool {pool} is deleted"])])


@click.command(cls=Command)
@POOL
@NODE
@click.option("--cards", metavar="0,1", help="Only these cards, by index or UUID prefix.")
@asks
async def add(line: Line, client: Client, pool: str, node: str, cards: str | None) -> None:
    """Put a node into a pool.

    A node may be in several pools. Without --cards all its cards belong to the pool.
    """
    chosen = None if cards is None else [card.strip() for card in cards.split(",")]
    view = await client.add_node(pool, node, cards=chosen)
    line.out.answer(view, lambda: [Lines([f"{node} is in pool {pool}"])])


@click.command(cls=Command)
@POOL
@NODE
@asks
async def remove(line: Line, client: Client, pool: str, node: str) -> None:
    """Take a node out of a pool.

    What runs there runs on.
    """
    answer = await client.remove_node(pool, node)
    line.out.answer(answer, lambda: [Lines([f"{node} is not in pool {pool} any more"])])
