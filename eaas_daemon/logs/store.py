"""Keeps what jobs write, byte for byte, and lets people read, follow and search it."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

from eaas_daemon.logs.answers import LogPosition, LogRead
from eaas_daemon.logs.budget import Budget, scan
from eaas_daemon.logs.failures import LogDropped, LogHole, log_failure
from eaas_daemon.logs.files import (
    AnyStream,
    AttemptLog,
    EndMark,
    LogKey,
    Stream,
    log_key,
    stem_of,
)
from eaas_daemon.logs.order import MOST_MS
from eaas_daemon.logs.search import After, Found, search, search_back
from eaas_daemon.logs.times import LogTimes

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

INLINE_BYTES: Final = 64 * 1024
"""A write up to this is made at once; a longer one goes to a thread."""
MAX_READ_BYTES: Final = 1 << 20
MAX_OPEN: Final = 64
"""Attempts whose files are held open."""
MAX_KNOWN: Final = 4096
"""Attempts whose sizes are remembered; others are looked up on the disk again."""


class DroppedLog(NamedTuple):
    """A log that was deleted to make room."""

    uid: str
    attempt: int
    size_bytes: int


class _Kept:
    """An attempt's log with the lock that keeps its writers one after the other."""

    def __init__(self, log: AttemptLog) -> None:
        self.log: Final = log
        self.lock: Final = asyncio.Lock()
        self.users = 0
        """Writers that hold the lock or wait for it."""


def _nobody(dropped: DroppedLog) -> None:
    """Tell nobody."""


class LogStore:
    """All logs of one controller. Use as ``async with``.

    Called from the loop only. Appends to one attempt follow each other; a long write or read
    happens in a thread. Bytes are safe from a crash of the controller as soon as ``append``
    returns, and from a power cut once ``end`` has: until then the sender still has them.
    """

    def __init__(
        self,
        root: Path,
        budget_mib: int,
        *,
        clock: Callable[[], float] = time.time,
        on_dropped: Callable[[DroppedLog], None] = _nobody,
        max_open: int = MAX_OPEN,
        max_known: int = MAX_KNOWN,
    ) -> None:
        self.root: Final = root
        self._clock = clock
        self._on_dropped = on_dropped
        self._max_open = max_open
        self._max_known = max_known
        self._budget = Budget(budget_mib << 20)
        self._known: OrderedDict[LogKey, _Kept] = OrderedDict()
        self._open: OrderedDict[LogKey, _Kept] = OrderedDict()
        self._waiting: dict[LogKey, set[asyncio.Future[None]]] = {}
        self._dropping = False

    async def __aenter__(self) -> Self:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        limit = self._budget.limit_bytes
        self._budget = await in_thread(lambda: scan(self.root, limit))
        await self._make_room()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def stored_bytes(self) -> int:
        """Return what all logs take on the disk, as far as they are written out."""
        return self._budget.used_bytes

    @property
    def budget_bytes(self) -> int:
        """Return what they may take; then the oldest ended ones go."""
        return self._budget.limit_bytes

    def limit(self, budget_mib: int) -> None:
        """Let all logs take so much from the next written piece on."""
        self._budget.limit_bytes = budget_mib << 20

    def close(self) -> None:
        """Let go of all files."""
        for kept in self._open.values():
            self._budget.grew(kept.log.close())
        self._open.clear()

    # --- the sender's side

    async def append(
        self,
        uid: str,
        attempt: int,
        stream: Stream,
        offset: int,
        data: bytes,
        *,
        at: float | None = None,
    ) -> None:
        """Store the bytes that begin at ``offset`` of the stream; skip those that are stored.

        ``at`` is when they arrived, in Unix seconds by the sender's clock; without it, now.
        Raises ``LogHole`` when bytes before them are missing and ``LogUnavailable`` when the disk
        takes no more; nothing of the piece is stored then. After the end nothing is added.
        """
        key = log_key(uid, attempt)
        async with self._held(key) as log:
            if log.end is not None:
                return
            stored: int = getattr(log.sizes, stream)
            if offset > stored:
                raise LogHole(stream, stored, offset)
            if fresh := data[stored - offset :]:
                await self._write(log, stream, fresh, self._moment_ms(at))
                self._was_opened(key)
                self._wake(key)
        await self._make_room()

    def _moment_ms(self, at: float | None) -> int:
        """Return the sender's moment if it is one, else this one."""
        if at is not None and 0 < at < MOST_MS / 1000:  # not so for nan
            return int(at * 1000)
        return int(self._clock() * 1000)

    async def _write(self, log: AttemptLog, stream: Stream, data: bytes, at_ms: int) -> None:
        try:
            if len(data) > INLINE_BYTES:
                added = await in_thread(lambda: log.write(stream, data, at_ms=at_ms))
            else:
                added = log.write(stream, data, at_ms=at_ms)
        except OSError as error:
            raise log_failure(error) from error
        self._budget.grew(added)

    async def end(
        self, uid: str, attempt: int, stdout_bytes: int, stderr_bytes: int, gap_bytes: int | None
    ) -> None:
        """Close the log for good, durably; raise ``LogHole`` while bytes are missing.

        Doing it again changes nothing.
        """
        key = log_key(uid, attempt)
        async with self._held(key) as log:
            if log.end is not None:
                return
            stdout, stderr = log.sizes
            if stdout_bytes > stdout:
                raise LogHole("stdout", stdout, stdout_bytes)
            if stderr_bytes > stderr:
                raise LogHole("stderr", stderr, stderr_bytes)
            end = EndMark(stdout=stdout, stderr=stderr, gap_bytes=gap_bytes, at=self._clock())
            try:
                await in_thread(lambda: log.finish(end))
            except OSError as error:
                raise log_failure(error) from error
            self._open.pop(key, None)
            self._budget.ended(key, log.stored_bytes)
            self._wake(key)
        await self._make_room()

    def position(self, uid: str, attempt: int) -> LogPosition:
        """Return how far the log is stored; nothing is known of an attempt that wrote nothing."""
        log = self._kept(log_key(uid, attempt)).log
        return LogPosition(*log.sizes, log.end is not None)

    # --- the readers' side

    async def read(
        self, uid: str, attempt: int, stream: AnyStream, offset: int, limit: int = MAX_READ_BYTES
    ) -> LogRead:
        """Return a part of one stream, or of both as they arrived.

        A negative offset counts from the end. Raises ``LogDropped`` when it was deleted for room.
        """
        log = self._readable(uid, attempt)
        end = log.sizes
        size: int = sum(end) if stream == "both" else getattr(end, stream)
        start = max(0, size + offset) if offset < 0 else min(offset, size)
        complete, gap_bytes = log.end is not None, log.end.gap_bytes if log.end else 0
        data = b""
        if length := max(0, min(limit, MAX_READ_BYTES, size - start)):
            data = await self._in_reader(log, lambda: log.read(stream, start, length, end))
        return LogRead(
            offset=start,
            data=data,
            size=size,
            complete=complete,
            gap_bytes=gap_bytes,
            seen=sum(end),
        )

    async def times(
        self, uid: str, attempt: int, stream: AnyStream, offset: int, limit: int
    ) -> LogTimes:
        """Return when a part of the log arrived; fewer than asked for if there are very many."""
        log = self._readable(uid, attempt)
        size: int = sum(log.sizes) if stream == "both" else getattr(log.sizes, stream)
        begin = min(offset, size)
        end = min(offset + limit, size)
        return await self._in_reader(log, lambda: log.times(stream, begin, end))

    async def changed(self, uid: str, attempt: int, *, seen: int) -> None:
        """Return as soon as the log is longer than ``seen`` (of ``LogRead``), or ended, or gone."""
        key = log_key(uid, attempt)
        log = self._kept(key).log
        if log.end is not None or sum(log.sizes) > seen:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(key, set())
        waiting.add(future)
        try:
            await future
        finally:
            waiting.discard(future)
            if not waiting and self._waiting.get(key) is waiting:
                del self._waiting[key]

    async def search(
        self,
        uid: str,
        attempt: int,
        stream: AnyStream,
        query: str,
        limit: int = 100,
        *,
        after: After | None = None,
        before: int | None = None,
    ) -> Found:
        """Return the first lines that have the text in them, upper or lower case.

        Those behind ``after``; or with ``before`` the last ones that begin before that byte.
        """
        log = self._readable(uid, attempt)
        end = log.sizes
        stop = threading.Event()

        def look() -> Found:
            def read_at(offset: int, length: int) -> bytes:
                return log.read(stream, offset, length, end)

            if before is not None:
                until = min(before, sum(end))
                return search_back(read_at, query, limit=limit, before=until, stop=stop)
            return search(read_at, query, limit=limit, after=after, stop=stop)

        try:
            return await self._in_reader(log, look)
        finally:
            stop.set()

    def _readable(self, uid: str, attempt: int) -> AttemptLog:
        log = self._kept(log_key(uid, attempt)).log
        if log.dropped:
            raise LogDropped(
                f"the log of attempt {attempt} was deleted to make room for newer ones"
            )
        return log

    async def _in_reader(self, log: AttemptLog, work: Callable[[], T]) -> T:
        try:
            answer = await asyncio.to_thread(work)
        except OSError as error:
            raise log_failure(error) from error
        if log.dropped:
            raise LogDropped("the log was deleted to make room for newer ones just now")
        return answer

    # --- inside

    def _kept(self, key: LogKey) -> _Kept:
        kept = self._known.get(key)
        if kept is None:
            try:
                kept = self._known[key] = _Kept(AttemptLog(stem_of(self.root, key)))
            except OSError as error:
                raise log_failure(error) from error
            self._forget_some()
        self._known.move_to_end(key)
        return kept

    def _forget_some(self) -> None:
        excess = len(self._known) - self._max_known
        if excess <= 0:
            return
        for key in list(islice(self._known, excess + len(self._open))):
            if not self._known[key].users and key not in self._open:
                del self._known[key]

    @asynccontextmanager
    async def _held(self, key: LogKey) -> AsyncIterator[AttemptLog]:
        kept = self._kept(key)
        kept.users += 1
        try:
            async with kept.lock:
                yield kept.log
        finally:
            kept.users -= 1

    def _was_opened(self, key: LogKey) -> None:
        """Keep the files open for the next piece, and close those not used for longest."""
        self._open[key] = self._known[key]
        self._open.move_to_end(key)
        idle = [old for old, kept in self._open.items() if not kept.users]
        for old in idle[: max(0, len(self._open) - self._max_open)]:
            self._budget.grew(self._open.pop(old).log.close())

    def _wake(self, key: LogKey) -> None:
        for future in self._waiting.pop(key, ()):
            if not future.done():
                future.set_result(None)

    async def _make_room(self) -> None:
        """Delete the oldest ended logs while there is too much."""
        if self._dropping:
            return
        self._dropping = True
        try:
            while due := self._budget.take_due():
                await self._drop(*due)
        finally:
            self._dropping = False

    async def _drop(self, key: LogKey, size_bytes: int) -> None:
        async with self._held(key) as log:
            try:
                await in_thread(log.drop)
            except OSError as error:
                _log.warning("the log %s can't be deleted to make room: %s", log.stem, error)
                return
            self._wake(key)
        self._on_dropped(DroppedLog(*key, size_bytes))


async def in_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a thread; a caller that is cancelled still waits until it is done."""
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise
