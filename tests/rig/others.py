"""Another user of this host at the controller's socket, where root can play one."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

NOBODY: Final = 65534


def why_no_other() -> str | None:
    """Return why nobody else can be played here, or None if somebody can."""
    return None if os.geteuid() == 0 else "needs root, to become somebody else"


@asynccontextmanager
async def as_nobody(controller: Path, at: Path) -> AsyncIterator[None]:
    """Pass on to the controller what comes in ``at``, and be the user nobody to it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward, back = await asyncio.open_unix_connection(sock=_connected(controller))
        async with asyncio.TaskGroup() as group:
            group.create_task(_passed_on(reader, back))
            group.create_task(_passed_on(onward, writer))

    server = await asyncio.start_unix_server(serve, at)
    try:
        yield
    finally:
        server.close()


def _connected(controller: Path) -> socket.socket:
    """Connect as nobody: the kernel tells the controller who that was."""
    connection = socket.socket(socket.AF_UNIX)
    os.seteuid(NOBODY)
    try:
        connection.connect(str(controller))
    finally:
        os.seteuid(0)
    connection.setblocking(False)
    return connection


async def _passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()
