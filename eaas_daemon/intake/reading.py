"""The reading process: started when there is something to read, ended when there is nothing."""

import asyncio
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from eaas.errors import FieldError
from eaas_daemon.intake.parser import (
    ANSWERS,
    ENCODER,
    LENGTH,
    Batch,
    Read,
    Unread,
    framed,
)

LIMIT_S: Final = 20.0
"""How long one file may take: fifteen times as long as the worst legal one."""
PART_BYTES: Final = 512 * 1024
"""Files are sent together up to this, so that a batch of the worst ones stays within the limit."""
ARGV: Final = (sys.executable, "-m", "eaas_daemon.intake.parser")
_FAILURES: Final = (
    *(TimeoutError, asyncio.IncompleteReadError, ConnectionError),
    *(msgspec.DecodeError, msgspec.ValidationError),
)


class FileReader:
    """Reads files in another process, which one bad file can take down but not hold up."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._process: Process | None = None
        self._lock = asyncio.Lock()
        self._used_at = 0.0

    async def read(
        self, files: Sequence[Unread], defaults: Mapping[str, str] | None = None
    ) -> list[Read]:
        """Return what each file says, in the same order."""
        given, read = dict(defaults or {}), list[Read]()
        for part in _parts(files):
            answers = await self._in_turn(part, given)
            if answers is None:
                answers = [await self._alone(file, given) for file in part]
            read += answers
        return read

    async def _alone(self, file: Unread, defaults: dict[str, str]) -> Read:
        """Read one file of a batch that failed: only the guilty one is refused."""
        answers = await self._in_turn([file], defaults)
        if answers is not None:
            return answers[0]
        message = f"reading it took more than {self._limit_s:.0f} s or all memory: make it simpler"
        return Read(errors=(FieldError(field="", message=message),))

    async def _in_turn(
        self, files: Sequence[Unread], defaults: dict[str, str]
    ) -> list[Read] | None:
        """Read a part when nothing else is read: slow files of one folder let others through."""
        async with self._lock:
            self._used_at = time.monotonic()
            return await self._answers(files, defaults)

    async def _answers(
        self, files: Sequence[Unread], defaults: dict[str, str]
    ) -> list[Read] | None:
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        request = ENCODER.encode(Batch(files=tuple(files), defaults=defaults))
        try:
            async with asyncio.timeout(self._limit_s):
                process.stdin.write(framed(request))
                await process.stdin.drain()
                (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                return list(ANSWERS.decode(await process.stdout.readexactly(size)))
        except _FAILURES:
            await self._kill()
            return None
        except asyncio.CancelledError:
            await self._kill()
            raise

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *ARGV, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
            )
        return self._process

    async def warm(self) -> None:
        """Start the process if there is none: something to read will come soon."""
        if self._process is None:
            async with self._lock:
                self._used_at = time.monotonic()
                await self._started()

    async def close(self) -> None:
        """End the process; the next file starts another."""
        async with self._lock:
            await self._kill()

    async def close_if_idle(self, idle_s: float) -> None:
        """End the process if nothing was read for so long."""
        if self._process is not None and time.monotonic() - self._used_at > idle_s:
            await self.close()

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.wait()


def _parts(files: Sequence[Unread]) -> Iterator[list[Unread]]:
    part: list[Unread] = []
    size = 0
    for file in files:
        if part and size + len(file.data) > PART_BYTES:
            yield part
            part, size = [], 0
        part.append(file)
        size += len(file.data)
    if part:
        yield part
