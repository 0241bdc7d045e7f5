"""Sends files of a workspace to the controller, as a tar, without ever leaving the workspace."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiohttp

from eaas.errors import EaasError
from eaas.wire.from_agent import FilesFailed
from eaas.wire.to_agent import SendFiles
from eaas_agent.dial import Dial
from eaas_agent.safe_tar import Picked, pick, write_tar

AT_ONCE: Final = 4
CHUNK_BYTES: Final = 1 << 18

log = logging.getLogger(__name__)


class CannotSend(EaasError):
    """The controller did not take the files."""

    code = "cannot_send_files"


class FileSender:
    """Answers the controller's wish for files."""

    def __init__(
        self,
        dial: Dial,
        *,
        group: asyncio.TaskGroup,
        workspace: Callable[[str], Path],
        say: Callable[[FilesFailed], None],
    ) -> None:
        """``workspace`` tells where a job's workspace lies."""
        self._dial = dial
        self._group = group
        self._workspace = workspace
        self._say = say
        self._slots = asyncio.Semaphore(AT_ONCE)

    def send(self, wish: SendFiles) -> None:
        """Send the files, or say why not."""
        self._group.create_task(self._send(wish))

    async def _send(self, wish: SendFiles) -> None:
        try:
            async with self._slots:
                workspace = self._workspace(wish.uid)
                picked = await asyncio.to_thread(pick, workspace, wish.path)
                with picked:
                    await self._post(wish.request, picked)
        except EaasError as error:
            self._say(FilesFailed(request=wish.request, text=error.sentence))
        except (aiohttp.ClientError, OSError) as error:
            log.info("files for %s were not sent: %s", wish.request, error)
            self._say(FilesFailed(request=wish.request, text=f"the transfer broke: {error}"))

    async def _post(self, request: str, picked: Picked) -> None:
        timeout = aiohttp.ClientTimeout(sock_read=None)
        async with (
            _piped(picked) as chunks,
            self._dial.http.post(
                f"/agent/v1/files/{request}",
                data=chunks,
                timeout=timeout,
                headers={"Content-Type": "application/x-tar"},
            ) as response,
        ):
            if response.status >= 400:
                raise CannotSend(f"the controller answered {response.status}")


@asynccontextmanager
async def _piped(picked: Picked) -> AsyncIterator[AsyncIterator[bytes]]:
    """Write the tar in a thread, into a pipe whose other end is read here.

    Closing the reading end is what ends a thread whose reader has gone.
    """
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader(CHUNK_BYTES)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", 0)
    )
    writing = loop.create_task(asyncio.to_thread(_write, picked, write_end))
    try:
        yield _chunks(reader, writing)
    finally:
        transport.close()
        await asyncio.wait({writing})
        if not writing.cancelled() and (error := writing.exception()) is not None:
            log.debug("the tar was not written to its end: %s", error)


async def _chunks(
    reader: asyncio.StreamReader, writing: asyncio.Task[None]
) -> AsyncIterator[bytes]:
    while chunk := await reader.read(CHUNK_BYTES):
        yield chunk
    await writing  # a tar that broke off must not look complete


def _write(picked: Picked, write_end: int) -> None:
    with os.fdopen(write_end, "wb") as out:
        write_tar(picked, out)
