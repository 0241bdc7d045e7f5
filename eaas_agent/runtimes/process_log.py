"""The log of a process: two files that only grow, read by offsets, followed by one shared tick."""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from typing import Final

from eaas_agent.runtimes.port import LogBytes, Stream
from eaas_agent.runtimes.process_attempt import Attempt

TICK_S: Final = 0.2
PIECE_BYTES: Final = 256 * 1024
BOUND_S: Final = 5.0
STREAMS: Final[tuple[Stream, ...]] = ("stdout", "stderr")


class LogFile:
    """One stream from an offset on, up to the log's cap."""

    def __init__(self, path: str, stream: Stream, *, offset: int, cap_bytes: int) -> None:
        """``offset`` counts the bytes of the stream; the file may hold fewer, see ``read``."""
        self._path = path
        self._stream = stream
        self._offset = offset
        self._cap = cap_bytes
        self._cut = max(0, offset - self._size()) if offset else 0
        """How much shorter the file is than the stream."""

    def has_more(self) -> bool:
        """Tell whether there are bytes to read."""
        return self._offset < self._cap and self._size() != self._offset - self._cut

    def read(self) -> LogBytes | None:
        """Return the next piece, or None when there is none now.

        A job that opens /dev/stderr anew (``echo x > /dev/stderr``) cuts the file to nothing. What
        was not read by then is lost; what comes after goes on at the offset where we are.
        """
        size = self._size()
        if size < self._offset - self._cut:
            self._cut = self._offset
        count = min(PIECE_BYTES, size - (self._offset - self._cut), self._cap - self._offset)
        if count <= 0:
            return None
        data = _read_at(self._path, self._offset - self._cut, count)
        piece = LogBytes(self._stream, self._offset, data)
        self._offset += len(data)
        return piece if data else None

    def _size(self) -> int:
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0


class LogTicker:
    """Looks at all followed files a few times a second; without followers it does nothing."""

    def __init__(self, tick_s: float = TICK_S) -> None:
        """``tick_s`` is how long a live log may lag."""
        self._tick_s = tick_s
        self._followers: dict[asyncio.Future[None], tuple[LogFile, ...]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def change(self, attempt: Attempt, files: tuple[LogFile, ...]) -> None:
        """Return when one of the files has more, or at once when the attempt ends."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._followers[future] = files
        attempt.waiting.add(future)
        if self._timer is None:
            self._timer = loop.call_later(self._tick_s, self._tick)
        try:
            await future
        finally:
            del self._followers[future]
            attempt.waiting.discard(future)

    def close(self) -> None:
        """Stop looking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        for future, files in self._followers.items():
            if not future.done() and any(file.has_more() for file in files):
                future.set_result(None)
        self._timer = None
        if self._followers:
            self._timer = asyncio.get_running_loop().call_later(self._tick_s, self._tick)


def bound_logs(attempts: Iterable[Attempt]) -> None:
    """Cut what live attempts wrote beyond their cap: nobody reads it, and the disk is everyone's.

    The cap holds for each stream. A reader that stands exactly at the cap knows that more may have
    come.
    """
    for attempt in attempts:
        if attempt.exit is None:
            for stream in STREAMS:
                path = attempt.folder.log(stream)
                with suppress(OSError):
                    if os.stat(path).st_size > attempt.log_cap_bytes:
                        os.truncate(path, attempt.log_cap_bytes)


async def follow(
    attempt: Attempt, ticker: LogTicker, *, stdout_from: int, stderr_from: int
) -> AsyncGenerator[LogBytes, None]:
    """Yield both streams from these offsets on until the attempt has ended and all was read."""
    cap = attempt.log_cap_bytes
    files = (
        LogFile(attempt.folder.log("stdout"), "stdout", offset=stdout_from, cap_bytes=cap),
        LogFile(attempt.folder.log("stderr"), "stderr", offset=stderr_from, cap_bytes=cap),
    )
    while True:
        last_round = (
            attempt.exit is not None
        )  # asked before the reading: nothing is written after it
        for file in files:
            while (piece := file.read()) is not None:
                yield piece
                if len(piece.data) == PIECE_BYTES:
                    await asyncio.sleep(0)  # a flood must not keep the loop from others
        if last_round:
            return
        if attempt.exit is None:
            await ticker.change(attempt, files)


def _read_at(path: str, position: int, count: int) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return b""
    try:
        return os.pread(fd, count, position)
    finally:
        os.close(fd)
