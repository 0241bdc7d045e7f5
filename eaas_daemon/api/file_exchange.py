"""Brings together a person who asks for files and the agent that sends them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from aiohttp import StreamReader

from eaas.errors import NotFound, Unavailable
from eaas.ids import NodeName
from eaas_daemon.agents.roster import Roster

ANSWER_WITHIN_S: Final = 30.0
"""How long a node may take until the first byte comes."""


class _Transfer:
    """One request for files: the agent's bytes, once they come, and the end."""

    def __init__(self) -> None:
        self.content: asyncio.Future[StreamReader] = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()


class FileExchange:
    """The requests that are open."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._open: dict[str, _Transfer] = {}

    @asynccontextmanager
    async def asked(self, node: NodeName, uid: str, path: str) -> AsyncIterator[StreamReader]:
        """Ask the node and give the tar it sends; raise its refusal."""
        request, refusal = self._roster.ask_for_files(node, uid, path)
        transfer = self._open[request] = _Transfer()
        try:
            yield await self._first(node, transfer, refusal)
        finally:
            transfer.over.set()
            del self._open[request]
            self._roster.files_done(request)
            if refusal.done() and not refusal.cancelled():
                refusal.exception()  # a refusal in the middle of the bytes has nobody else to hear

    async def _first(
        self, node: NodeName, transfer: _Transfer, refusal: asyncio.Future[None]
    ) -> StreamReader:
        both: set[asyncio.Future[Any]] = {transfer.content, refusal}
        await asyncio.wait(both, timeout=ANSWER_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        if refusal.done():
            refusal.result()
        if not transfer.content.done():
            raise Unavailable(f"{node} did not send the files within {ANSWER_WITHIN_S:.0f} s")
        return transfer.content.result()

    async def sent(self, request: str, content: StreamReader) -> None:
        """Hand over an agent's bytes; return when they were taken, or nobody wants them any more.

        What nobody asked for, or asked for and left, is refused.
        """
        transfer = self._open.get(request)
        if transfer is None or transfer.content.done():
            raise NotFound("nobody waits for these files (any more)")
        transfer.content.set_result(content)
        await transfer.over.wait()
