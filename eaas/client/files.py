"""The client's calls about folders: packs that go in, results that come out."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eaas.client.calls import Calls, JobName, place
from eaas.client.connection import PIECE_BYTES
from eaas.errors import NotFound

if TYPE_CHECKING:
    from eaas.packs import Pack  # imported when something is packed: nothing is at most starts

STORE_S: Final = 300.0
"""How long the controller may take to store a large pack."""


class FileCalls(Calls):
    """Move folders between here and the pool."""

    async def upload_folder(self, folder: Path) -> tuple[str, tuple[str, ...]]:
        """Pack and upload the folder; return the pack's hash and what was left out of it."""
        from eaas.packs import packed

        packing = packed(folder)
        pack = await asyncio.to_thread(packing.__enter__)
        try:
            await self.upload_pack(pack)
        finally:
            packing.__exit__(None, None, None)
        return pack.hash, pack.left_out

    async def upload_pack(self, pack: "Pack") -> None:
        """Upload a pack, unless the controller has one of that hash already."""
        if await self.has_pack(pack.hash):
            return
        with pack.path.open("rb") as content:
            async with self._connection.ask(
                "PUT",
                place("packs", pack.hash),
                data=content,
                headers={"Content-Type": "application/x-tar"},
                answer_s=STORE_S,
            ):
                pass

    async def has_pack(self, hash: str) -> bool:
        """Tell whether the controller has the pack."""
        try:
            async with self._connection.ask("HEAD", place("packs", hash)):
                return True
        except NotFound:
            return False

    async def download(self, id: JobName, path: str) -> AsyncIterator[bytes]:
        """Yield a file or folder of the job's workspace as the bytes of a tar."""
        async with self._connection.ask(
            "GET", place("jobs", id, "files"), params={"path": path}, answer_s=STORE_S
        ) as response:
            async for piece in response.content.iter_chunked(PIECE_BYTES):
                yield piece
