"""``node``: look at nodes, and say what may run on them."""

from typing import Final

import click

from eaas.cli import complete
from eaas.cli.draw_pool import node_card, node_table
from eaas.cli.group import Command
from eaas.cli.kinds import Label
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.node_views import NodeView
from eaas.views import Page

NODE: Final = click.argument("node", shell_complete=complete.nodes)
CARD: Final = click.argument("card", metavar="INDEX|UUID")


@click.command(cls=Command)
@asks
async def list_nodes(line: Line, client: Client) -> None:
    """List the nodes."""
    nodes = await client.nodes()
    line.out.answer(Page(nodes), lambda: [node_table(nodes)])


@click.command(cls=Command)
@NODE
@asks
async def show(line: Line, client: Client, node: str) -> None:
    """Show a node, its cards and its images."""
    view = await client.node(node)
    line.out.answer(view, lambda: node_card(view))


@click.command(cls=Command)
@NODE
@asks
async def drain(line: Line, client: Client, node: str) -> None:
    """Let a node finish its jobs and take no more."""
    view = await client.drain(node)
    left = ", ".join(map(str, view.jobs)) or "none"
    _say(line, view, f"{node} is {view.state}; jobs still there: {left}")


@click.command(cls=Command)
@NODE
@asks
async def resume(line: Line, client: Client, node: str) -> None:
    """Let a drained node take jobs again."""
    view = await client.resume(node)
    _say(line, view, f"{node} is {view.state}")


@click.command(cls=Command)
@NODE
@asks
async def remove(line: Line, client: Client, node: str) -> None:
    """Forget a node that is gone.

    No job may be on it. What let its agent in ends with it: the agent of another machine has to
    join anew (mini-eaas agent join), that of the controller's own host comes back by itself. Either
    way the node is then in no pool.
    """
    answer = await client.forget_node(node)
    line.out.answer(answer, lambda: [Lines([f"{node} is forgotten"])])


@click.command(cls=Command)
@NODE
@click.argument("labels", type=Label(), nargs=-1, required=True, metavar="KEY=VALUE...")
@asks
async def label(
    line: Line, client: Client, node: str, labels: tuple[tuple[str, str | None], ...]
) -> None:
    """Set or remove labels of a node.

    KEY=VALUE sets one, KEY- removes it.
    """
    view = await client.label_node(node, dict(labels))
    shown = ", ".join(f"{key}={value}" for key, value in view.labels.items()) or "none"
    _say(line, view, f"{node} has labels {shown}")


@click.command(cls=Command)
@NODE
@asks
async def confirm_dead(line: Line, client: Client, node: str) -> None:
    """Say that a node is dead, so its jobs may run elsewhere.

    Only say so of a machine that is off: a job that still runs there would run twice.
    """
    view = await client.confirm_dead(node)
    _say(line, view, f"{node} is taken for dead; its jobs are free to run elsewhere")


@click.command(cls=Command)
@NODE
@CARD
@asks
async def exclude_card(line: Line, client: Client, node: str, card: str) -> None:
    """Keep jobs off a card."""
    _say(line, await client.exclude_card(node, card), f"card {card} of {node} is excluded")


@click.command(cls=Command)
@NODE
@CARD
@asks
async def include_card(line: Line, client: Client, node: str, card: str) -> None:
    """Offer an excluded card again."""
    _say(line, await client.include_card(node, card), f"card {card} of {node} is offered again")


@click.command(cls=Command)
@NODE
@CARD
@asks
async def clean_card(line: Line, client: Client, node: str, card: str) -> None:
    """Say that a dirty card is clean now."""
    _say(line, await client.clean_card(node, card), f"card {card} of {node} is taken for clean")


def _say(line: Line, node: NodeView, text: str) -> None:
    line.out.answer(node, lambda: [Lines([text])])
