"""What every command gets: where the controller is, how to print, and a client to ask."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

import click

from eaas.cli.group import OUTPUT_KEY, SERVER_KEY, TOKEN_KEY
from eaas.cli.output import Output

if TYPE_CHECKING:
    from eaas.client import Client

P = ParamSpec("P")

FAILED: Final = 1
"""The exit code of what was refused, or of a job that did not succeed."""


class Line:
    """One command line: its output, and where it goes."""

    def __init__(self, out: Output, *, server: str | None = None, token: str | None = None) -> None:
        self.out: Final = out
        self._server: Final = server
        self._token: Final = token

    def client(self) -> "Client":
        """Return a client of the controller this line is for."""
        from eaas.client import Client, address_from

        return Client(address_from(os.environ, server=self._server, token=self._token))


def line_of(ctx: click.Context) -> Line:
    """Return what the command line said, wherever on it that stood."""
    return Line(
        Output.to_streams(ctx.meta.get(OUTPUT_KEY, "table")),
        server=ctx.meta.get(SERVER_KEY),
        token=ctx.meta.get(TOKEN_KEY),
    )


def asks(
    command: Callable[Concatenate[Line, "Client", P], Awaitable[int | None]],
) -> Callable[P, None]:
    """Make a command of a coroutine that is given the line and a connected client.

    What the coroutine returns is the exit code; None is 0.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        ctx = click.get_current_context()
        line = line_of(ctx)

        async def ask() -> int | None:
            async with line.client() as client:
                return await command(line, client, *args, **kwargs)

        if code := asyncio.run(ask()):
            raise click.exceptions.Exit(code)

    return run


def prints(command: Callable[Concatenate[Line, P], Any]) -> Callable[P, None]:
    """Make a command of a function that is given the line and asks nobody."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        command(line_of(click.get_current_context()), *args, **kwargs)

    return run
