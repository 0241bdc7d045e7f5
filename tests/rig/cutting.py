"""A proxy before the controller that swallows answers: requests arrive, no word comes back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final


class Cutting:
    """Passes everything on, but cuts so many connections when the answer to a submit comes."""

    def __init__(self, controller: Path, *, cuts: int) -> None:
        self._controller: Final = controller
        self.cuts = cuts
        """How many answers are still to be swallowed."""
        self.submits = 0
        """How many submits went through to the controller."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on until either side ends it."""
        onward, back = await asyncio.open_unix_connection(self._controller)
        is_submit = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._there(reader, back, is_submit))
            group.create_task(self._here(onward, writer, is_submit))

    async def _there(
        self,
        client: asyncio.StreamReader,
        controller: asyncio.StreamWriter,
        is_submit: asyncio.Event,
    ) -> None:
        with suppress(OSError):
            while piece := await client.read(65536):
                if piece.startswith(b"POST /api/v1/jobs HTTP"):
                    self.submits += 1
                    is_submit.set()
                controller.write(piece)
                await controller.drain()
        controller.close()

    async def _here(
        self,
        controller: asyncio.StreamReader,
        client: asyncio.StreamWriter,
        is_submit: asyncio.Event,
    ) -> None:
        with suppress(OSError):
            while piece := await controller.read(65536):
                if is_submit.is_set() and self.cuts:
                    self.cuts -= 1
                    client.transport.abort()
                    return
                is_submit.clear()
                client.write(piece)
                await client.drain()
        client.close()


@asynccontextmanager
async def a_cutting_proxy(controller: Path, socket: Path, *, cuts: int) -> AsyncIterator[Cutting]:
    """Serve the proxy on the socket for the length of the block."""
    proxy = Cutting(controller, cuts=cuts)
    server = await asyncio.start_unix_server(proxy.serve, socket)
    try:
        yield proxy
    finally:
        server.close()
