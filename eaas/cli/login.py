"""``login`` and ``logout``: a controller elsewhere, kept with who it is and who one is there."""

import asyncio
import os
import sys

import click

from eaas.cli.group import TOKEN_KEY, Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Facts, Lines
from eaas.client import Client
from eaas.client.address import Address, refuse_plain, url_of
from eaas.client.connection import Translated
from eaas.client.logins import Login, read_logins, write_logins
from eaas.client.trust import NotTheController, authority_at
from eaas.errors import Unauthenticated, Unreachable
from eaas.tokens import BadToken, read_token
from eaas.views import StatusView


@click.command(cls=Command)
@click.argument("place", metavar="SERVER")
@prints
def login(line: Line, place: str) -> None:
    """Keep a controller elsewhere, and who you are.

    It is then the one to talk to. Asks for the token that `mini-eaas token create` made there,
    unless --token or MINI_EAAS_TOKEN has it; without a terminal it is a line of stdin. A controller
    that has only moved takes the token that is kept already. First the controller has to prove
    that it is the one that made the token; only then it is told the token.
    """
    text = click.get_current_context().meta.get(TOKEN_KEY) or os.environ.get("MINI_EAAS_TOKEN")
    url = url_of(place, secret=True)
    text = text or asyncio.run(_known_there(url)) or _asked_for()
    token = read_token(text)
    if token.kind != "person":
        raise BadToken("this token is for agents: mini-eaas agent join takes it")
    refuse_plain(url, os.environ)
    kept, status = asyncio.run(_tried(url, str(token)))
    file = write_logins(os.environ, read_logins(os.environ).with_one(kept))
    facts = [("server", url), ("you", f"{status.user} ({status.role})"), ("kept in", str(file))]
    line.out.answer(
        {"server": url, "user": status.user, "role": status.role}, lambda: [Facts(facts)]
    )


def _asked_for() -> str:
    """Return the token that a person types unseen, or that a program writes in a line."""
    if sys.stdin is not None and sys.stdin.isatty():
        typed: str = click.prompt("Token", hide_input=True, err=True)
        return typed
    text = "" if sys.stdin is None else sys.stdin.readline()
    if not text.strip():
        raise click.UsageError(
            "the token is read from stdin where there is no terminal, and nothing came: "
            "mini-eaas login SERVER < FILE, or give it by --token or MINI_EAAS_TOKEN"
        )
    return text


async def _known_there(url: str) -> str | None:
    """Return the token of a login elsewhere that is good here: its controller has moved.

    Only who proves to be that controller is told it.
    """
    for known in reversed(read_logins(os.environ).logins):
        if not known.ca or not url.startswith("https://") or known.url == url:
            continue
        try:
            await _tried(url, known.token)
        except (NotTheController, BadToken, Unauthenticated, Unreachable, TimeoutError):
            continue
        return known.token
    return None


async def _tried(url: str, token: str) -> tuple[Login, StatusView]:
    """Return what is to be kept, once the controller has let the person in."""
    ca = ""
    if url.startswith("https://"):
        with Translated(Address(url=url)):
            ca = await authority_at(url, read_token(token).ca)
    async with Client(Address(url=url, token=token, ca=ca or None)) as client:
        status = await client.status()
    return Login(url=url, token=token, ca=ca), status


@click.command(cls=Command)
@click.argument("place", metavar="SERVER")
@prints
def logout(line: Line, place: str) -> None:
    """Forget a controller elsewhere.

    And the token for it, which stays good; mini-eaas token revoke ends it.
    """
    url = url_of(place, secret=True)
    logins = read_logins(os.environ)
    was_there = logins.to(url) is not None
    write_logins(os.environ, logins.without(url))
    said = f"{url} is forgotten" if was_there else f"there was no login to {url}"
    line.out.answer({"server": url, "forgotten": was_there}, lambda: [Lines([said])])
