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

from eaas.errors import EaasError, FieldError
from eaas.safe_text import safe_text
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


class ReaderUnusable(EaasError):
    """No file can be read, whatever is in it."""

    code = "reader_unusable"

    def __init__(self, program: str, why: str) -> None:
        super().__init__(
            f"files wait: {program}, which reads them, does not work for the controller's user "
            f"({why}); let that user read the installation, and they go on"
        )


class FileReader:
    """Reads files in another process, which one bad file can take down but not hold up."""

    def __init__(self, limit_s: float = LIMIT_S, argv: Sequence[str] = ARGV) -> None:
        self._limit_s = limit_s
        self._argv = argv
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
        """Read one file of a batch that failed: only the guilty one is refused.

        Raises ``ReaderUnusable`` when it is not the file's fault.
        """
        answers = await self._in_turn([file], defaults)
        if answers is not None:
            return answers[0]
        await self._try_out()
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
            self._process = await self._begun(read=PIPE, write=PIPE, complain=DEVNULL)
        return self._process

    async def _begun(self, *, read: int, write: int, complain: int) -> Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._argv, stdin=read, stdout=write, stderr=complain
            )
        except OSError as error:
            raise ReaderUnusable(self._argv[0], error.strerror or str(error)) from error

    async def _try_out(self) -> None:
        """Start the process with nothing to read; raises ``ReaderUnusable`` if it can't even end.

        An installation that lost some of its files, or their modes, is no fault of a job file.
        """
        process = await self._begun(read=DEVNULL, write=DEVNULL, complain=PIPE)
        try:
            async with asyncio.timeout(LIMIT_S):
                _, said = await process.communicate()
        except TimeoutError:
            return  # too slow today, which says nothing of the installation
        finally:
            with suppress(ProcessLookupError):
                process.kill()
        if process.returncode != 0:
            lines = said.decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else f"it ended with {process.returncode}"
            raise ReaderUnusable(self._argv[0], safe_text(why))

    async def warm(self) -> None:
        """Start the process if there is none: something to read will come soon."""
        if self._process is None:
            async with self._lock:
                self._used_at = time.monotonic()
                with suppress(ReaderUnusable):  # perhaps it works when there is something to read
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
