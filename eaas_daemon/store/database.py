"""The controller's database: one file, one writer thread, one connection that may write."""

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from eaas.ids import new_uid
from eaas_daemon.core.changes import Changes
from eaas_daemon.store.failures import HomeInUse, PlaceLost, StoreUnavailable, damaged, failure
from eaas_daemon.store.migrations import all_steps, copy_to, migrate
from eaas_daemon.store.transactions import (
    Loaded,
    begin_life,
    prune_some,
    read_all,
    write_changes,
)

T = TypeVar("T")

KEEP_JOURNAL_S: Final = 90 * 86400.0
BUSY_TIMEOUT_S: Final = 5.0
WAL_LIMIT_BYTES: Final = 64 << 20
"""What the write-ahead log is cut back to after a checkpoint."""


class Database:
    """The only writer. Use as ``async with``; entering refuses with a sentence what can't be.

    A transaction runs whole in the writer's thread even if the task that asked for it is
    cancelled. After an error nothing of it is stored.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        keep_journal_s: float = KEEP_JOURNAL_S,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        steps: Sequence[str] | None = None,
    ) -> None:
        self.path: Final = path
        self._clock = clock
        self.keep_journal_s = keep_journal_s
        self._busy_timeout_s = busy_timeout_s
        self._steps = all_steps() if steps is None else steps
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store-writer")
        self._connection: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._opened: dict[Path, os.stat_result] = {}
        """Which files these are; while they are open no other has their inodes."""

    async def __aenter__(self) -> Self:
        try:
            self._lock = take_lock(self.path.with_suffix(".lock"))
            await self._in_thread(self._open)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what was begun, close the file and let the next controller have it."""
        try:
            await self._in_thread(self._close)
        finally:
            self._thread.shutdown(wait=False)

    async def load(self) -> Loaded:
        """Return what the controller starts from, or goes on from after a failed commit."""
        at = self._clock()
        return await self._in_thread(
            lambda: self._transaction(lambda connection: read_all(connection, at))
        )

    async def commit(self, changes: Changes) -> None:
        """Store everything one step did, on the disk when this returns.

        Raises ``StoreUnavailable`` when nothing could be written now and ``StoreRefused`` when it
        must not be; in both cases nothing is stored.
        """
        at = self._clock()
        await self._in_thread(
            lambda: self._transaction(lambda connection: write_changes(connection, changes, at))
        )

    async def prune(self, now: float) -> int:
        """Delete some of what is too old to be asked for; return how many rows went."""
        keep = self.keep_journal_s
        return await self._in_thread(
            lambda: self._transaction(lambda connection: prune_some(connection, now, keep))
        )

    async def backup(self, target: Path) -> Path:
        """Write a whole copy of the database to ``target`` and return that."""
        return await self._in_thread(
            lambda: self._answered(lambda: copy_to(self._open_one, target))
        )

    async def look(self) -> None:
        """Raise ``PlaceLost`` if the database was taken away, or another put into its place."""
        await self._in_thread(self._check_in_place)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run ``work`` in the writer's thread; cancelling the caller does not stop it."""
        return await asyncio.shield(asyncio.wrap_future(self._thread.submit(work)))

    # --- in the writer's thread

    @property
    def _open_one(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreUnavailable(f"{self.path} is closed")
        return self._connection

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._open_one

        def whole() -> T:
            self._check_in_place()
            connection.execute("BEGIN IMMEDIATE")
            try:
                answer = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return answer

        return self._answered(whole)

    def _answered(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    def _open(self) -> None:
        create_private(self.path)
        self._connection = connect(self.path, self._busy_timeout_s)
        assert self._lock is not None, "it is opened under the lock"
        lock = self.path.with_suffix(".lock")
        self._opened = {lock: os.fstat(self._lock), self.path: os.stat(self.path)}
        self._answered(self._prepare)
        at, life = self._clock(), new_uid()
        self._transaction(lambda connection: begin_life(connection, life, at))

    def _prepare(self) -> None:
        check(self._open_one, self.path)
        migrate(self._open_one, self.path, self._steps)

    def _check_in_place(self) -> None:
        for path, opened in self._opened.items():
            try:
                is_in_place = os.path.samestat(os.stat(path), opened)
            except (FileNotFoundError, NotADirectoryError):
                is_in_place = False
            except OSError:
                continue  # nobody knows; the transaction will tell
            if not is_in_place:
                raise PlaceLost(
                    f"{path} is not the file any more that this controller works with: its folder"
                    " was deleted, moved or made again. Nothing more is stored or taken; see what"
                    " is there, put back what is missing, and start the controller again"
                )

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):  # a full disk must not keep us from stopping
                self._connection.close()
            self._connection = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def take_lock(path: Path) -> int:
    """Return the locked file's handle, or refuse when another process holds the lock.

    The kernel lets go of it when the process ends, however it ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(handle, 32).decode(errors="replace").strip() or "unknown"
        os.close(handle)
        raise HomeInUse(
            f"another controller (pid {holder}) works in {path.parent}; stop it first, or give"
            " this one a folder of its own with MINI_EAAS_HOME"
        ) from error
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def create_private(path: Path) -> None:
    """Make the database's file, for its owner only; SQLite's own files beside it follow suit.

    A log without its database is never taken for a fresh start.
    """
    if not path.exists() and Path(f"{path}-wal").exists():
        raise damaged(path, "the file is gone, but its write-ahead log is there")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    path.chmod(0o600)


def connect(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """Return the connection that writes: every commit is on the disk before it is answered."""
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    connection.execute("PRAGMA mmap_size = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a damaged database; set how an intact one is written."""
    (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if finding != "ok":
        raise damaged(path, str(finding))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
