"""Brings the folder a job was submitted with from the controller, and believes only its hash."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import IO, Final

import aiohttp

from eaas.errors import EaasError
from eaas.packs import MAX_PACK_BYTES
from eaas_agent.dial import Dial

CHUNK_BYTES: Final = 1 << 18
TRIES: Final = 4
TRY_AGAIN_S: Final = 0.5

Fetch = Callable[[str], AbstractAsyncContextManager[IO[bytes]]]


class PackAway(EaasError):
    """The controller could not send the pack now."""

    code = "pack_unavailable"


class PackWrong(EaasError):
    """What the controller sent is not what the job was submitted with."""

    code = "pack_wrong"


def pack_fetcher(dial: Dial, folder: Path) -> Fetch:
    """Return what fetches packs into unnamed files of this folder."""

    @asynccontextmanager
    async def fetch(pack: str) -> AsyncIterator[IO[bytes]]:
        with tempfile.TemporaryFile(dir=folder) as file:
            await _download(dial, pack, file)
            file.seek(0)
            yield file

    return fetch


async def _download(dial: Dial, pack: str, file: IO[bytes]) -> None:
    for attempt in range(TRIES):
        try:
            return await _download_once(dial, pack, file)
        except (aiohttp.ClientError, OSError) as error:
            if attempt + 1 == TRIES:
                raise PackAway(f"the pack {pack[:19]} can't be fetched: {error}") from error
            await asyncio.sleep(TRY_AGAIN_S * 2**attempt)
    return None


async def _download_once(dial: Dial, pack: str, file: IO[bytes]) -> None:
    name = pack.removeprefix("sha256:")
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    file.truncate()
    async with dial.http.get(f"/agent/v1/packs/{name}") as response:
        if response.status >= 500:
            response.raise_for_status()
        if response.status != 200:
            raise PackAway(f"the controller has no pack {pack[:19]} ({response.status})")
        async for chunk in response.content.iter_chunked(CHUNK_BYTES):
            size += len(chunk)
            if size > MAX_PACK_BYTES:
                raise PackWrong(f"the pack {pack[:19]} is larger than any pack may be")
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != name:
        raise PackWrong(f"what came for the pack {pack[:19]} has another hash")
