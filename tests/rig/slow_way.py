"""A way to the controller on which logs can be held up: a proxy between two unix sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

LOGS: Final = b"GET /agent/v1/logs"


class SlowWay:
    """Passes everything on; what goes up on a log link only while ``open`` is set."""

    def __init__(self, controller: Path) -> None:
        self._controller: Final = controller
        self.open: Final = asyncio.Event()
        self.held_up: Final = asyncio.Event()
        """Set once a log link has met the closed way."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on until either side ends it."""
        onward, back = await asyncio.open_unix_connection(self._controller)
        first = await reader.read(65536)
        back.write(first)
        is_logs = first.startswith(LOGS)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._pass_on(reader, back, is_held_up=is_logs))
            group.create_task(self._pass_on(onward, writer, is_held_up=False))

    async def _pass_on(
        self, there: asyncio.StreamReader, here: asyncio.StreamWriter, *, is_held_up: bool
    ) -> None:
        with suppress(OSError):
            while piece := await there.read(65536):
                if is_held_up and not self.open.is_set():
                    self.held_up.set()
                    await self.open.wait()
                here.write(piece)
                await here.drain()
        here.close()


@asynccontextmanager
async def a_slow_way(controller: Path, socket: Path) -> AsyncIterator[SlowWay]:
    """Serve the proxy on the socket for the length of the block."""
    way = SlowWay(controller)
    server = await asyncio.start_unix_server(way.serve, socket)
    try:
        yield way
    finally:
        way.open.set()
        server.close()
