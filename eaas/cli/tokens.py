"""``token``: create, list, revoke; and ``audit``."""

import math

import click
from msgspec import UNSET, UnsetType

from eaas.cli.draw_pool import event_line
from eaas.cli.draw_tokens import token_made, token_table
from eaas.cli.group import Command
from eaas.cli.kinds import Lifetime
from eaas.cli.line import Line, asks
from eaas.cli.output import Lines
from eaas.client import Client
from eaas.errors import NotFound
from eaas.spelling import nearest
from eaas.token_views import TokenView
from eaas.views import Page

ROLES = ("agent", "member", "viewer", "admin")


@click.command(cls=Command)
@click.option("--role", type=click.Choice(ROLES), required=True, help="Who is to come in by it.")
@click.option("--user", metavar="USER", help="Whose word it carries (default: yours).")
@click.option(
    "--expires",
    type=Lifetime(),
    metavar="24h",
    help="How long it lasts, or never (default: 24h for agents, 90d for people).",
)
@click.option(
    "--uses",
    type=click.IntRange(min=1),
    metavar="N",
    help="How often it may be used (default: 20); only of a token for agents.",
)
@click.option(
    "--node",
    metavar="NODE",
    help="Only this machine may join by it, once; it may have joined before (of agents' tokens).",
)
@asks
async def create(
    line: Line,
    client: Client,
    role: str,
    user: str | None,
    expires: float | None,
    uses: int | None,
    node: str | None,
) -> None:
    """Make a token; it is shown once.

    It is for a machine that is to join, or for a person elsewhere. With -o json it is the key
    `token`.
    """
    lasts: float | None | UnsetType = UNSET if expires is None else expires
    address = (await client.status()).address
    made = await client.create_token(
        role,  # type: ignore[arg-type]
        user=user,
        expires_s=None if lasts == math.inf else lasts,
        uses=UNSET if uses is None else uses,
        node=UNSET if node is None else node,
    )
    line.out.answer(made, lambda: token_made(made, address))


@click.command(cls=Command)
@click.option("--all", is_flag=True, help="Those too that let nobody in any more, and nodes' own.")
@asks
async def list_tokens(line: Line, client: Client, all: bool) -> None:
    """List tokens.

    The newest comes first. Admins see everybody's, others their own.
    """
    tokens = await client.tokens(all=all)
    line.out.answer(Page(tokens), lambda: [token_table(tokens)])


@click.command(cls=Command)
@click.argument("id", metavar="ID", required=False)
@click.option("--user", metavar="USER", help="All of the tokens that carry this user's word.")
@asks
async def revoke(line: Line, client: Client, id: str | None, user: str | None) -> None:
    """Let a token let nobody in any more.

    Whoever came in by it is out within seconds. Of a node: what runs there runs on. With --user it
    is all that a person can come in by from elsewhere; what they made with those stays.
    """
    if (id is None) == (user is None) or user == "":
        raise click.UsageError("say which: an ID of mini-eaas token list, or --user USER")
    if id is None:
        every = await client.tokens(all=True)
        theirs = _tokens_of(user or "", every)
        ended = [await client.revoke_token(token.id) for token in theirs if token.state == "live"]
        line.out.answer(Page(ended), lambda: [Lines(_ended(user or "", ended))])
        return
    view = await client.revoke_token(id)
    said = [f"token {view.id} is revoked"]
    if view.made_and_live:
        said.append("tokens that were made with it still let in; to end them too:")
        said += [f"  mini-eaas token revoke {each}" for each in view.made_and_live]
    line.out.answer(view, lambda: [Lines(said)])


def _tokens_of(user: str, every: list[TokenView]) -> list[TokenView]:
    """Return the user's tokens; raise ``NotFound`` if there never was one: it may be a slip."""
    if theirs := [token for token in every if token.user == user]:
        return theirs
    near = nearest(user, [token.user for token in every if token.user is not None])
    raise NotFound(f"{user} has no token" + (f"; did you mean {near}?" if near else ""))


def _ended(user: str, tokens: list[TokenView]) -> list[str]:
    """Return what to tell of all tokens of a user, and of those that were made with them."""
    if not tokens:
        return [f"no token of {user} lets in any more"]
    said = [f"token {token.id} of {user} is revoked" for token in tokens]
    gone = {token.id for token in tokens}
    left = [each for token in tokens for each in token.made_and_live if each not in gone]
    if left:
        said.append("tokens that were made with these still let in; to end them too:")
        said += [f"  mini-eaas token revoke {each}" for each in dict.fromkeys(left)]
    return said


@click.command(cls=Command)
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=1000),
    default=100,
    metavar="N",
    help="How many lines (default: 100).",
)
@asks
async def audit(line: Line, client: Client, limit: int) -> None:
    """Show what was done to the pool, and by whom.

    Nodes, pools, queues, cards and tokens, the newest last; for admins.
    """
    events = await client.audit(limit=limit)
    line.out.answer(
        Page(events), lambda: [Lines([event_line(event) for event in reversed(events)])]
    )
