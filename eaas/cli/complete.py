"""Shell completion of names the controller knows, within 300 ms and without ever complaining.

This asks with the standard library: one blocking question with a time limit is all it takes.
"""

import http.client
import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click
from click.shell_completion import CompletionItem

from eaas.cli.group import SERVER_KEY, TOKEN_KEY
from eaas.client.address import Address, address_from
from eaas.client.trust import context_for
from eaas.errors import EaasError

LIMIT_S: Final = 0.3
MOST_JOBS: Final = 200

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(route: str, name: str, help: Callable[[Mapping[str, Any]], str]) -> Completer:
    """Return a completer of what a list route gives."""

    def complete(
        ctx: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        items = _asked(ctx, route)
        return [
            CompletionItem(str(item[name]), help=help(item))
            for item in items
            if str(item[name]).startswith(incomplete)
        ]

    return complete


def _job_help(job: Mapping[str, Any]) -> str:
    return f"{job['state']} {job['name'] or ''}".strip()


def _no_help(_item: Mapping[str, Any]) -> str:
    return ""


job_ids: Final = _completer(f"jobs?limit={MOST_JOBS}", "id", _job_help)
all_job_ids: Final = _completer(f"jobs?all=1&limit={MOST_JOBS}", "id", _job_help)
pools: Final = _completer("pools", "name", _no_help)
queues: Final = _completer("queues", "ref", _no_help)
bookings: Final = _completer("bookings", "id", lambda booking: str(booking["text"]))
nodes: Final = _completer("nodes", "name", lambda node: str(node["state"]))


def _asked(ctx: click.Context, route: str) -> list[Mapping[str, Any]]:
    """Return the items of a list, or none when the controller doesn't answer in time."""
    try:
        address = address_from(
            os.environ, server=ctx.meta.get(SERVER_KEY), token=ctx.meta.get(TOKEN_KEY)
        )
        return list(json.loads(_fetch(address, f"/api/v1/{route}"))["items"])
    except (EaasError, OSError, http.client.HTTPException, ValueError, KeyError, RecursionError):
        return []


def _fetch(address: Address, route: str) -> bytes:
    connection = _connection(address)
    try:
        headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
        connection.request("GET", route, headers=headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def _connection(address: Address) -> http.client.HTTPConnection:
    if address.socket is not None:
        connection = http.client.HTTPConnection("controller", timeout=LIMIT_S)
        connection.sock = _connected(address.socket)
        return connection
    parts = urlsplit(address.url)
    host = parts.hostname or ""
    if parts.scheme != "https":
        return http.client.HTTPConnection(host, parts.port, timeout=LIMIT_S)
    known = context_for(address.ca) if address.ca else None
    return http.client.HTTPSConnection(host, parts.port, timeout=LIMIT_S, context=known)


def _connected(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(LIMIT_S)
    try:
        line.connect(str(path))
    except OSError:
        line.close()
        raise
    return line
