"""Reading the database beside its writer: look-ups at once, lists without holding up the loop."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import aiosqlite

from eaas.errors import FieldError, Invalid
from eaas.ids import JobNumber, JobUid, PoolName, QueueName, UserName
from eaas.lifecycle import ENDED, JobState
from eaas_daemon.core.changes import JournalRow, KeyRow
from eaas_daemon.core.model import Job, Value
from eaas_daemon.store import rows
from eaas_daemon.store.failures import failure

MAX_PAGE: Final = 1000
AUDITED: Final = ("booking", "card", "controller", "node", "pool", "queue", "token")
"""Kinds of what is done to the pool; what people do with their jobs is in the journal beside it."""
MOST: Final = 2**63 - 1
_LINE: Final = "SELECT seq, at, kind, text, job, node, user, data FROM journal"


class JobFilter(Value, frozen=True, kw_only=True):
    """Which jobs to list; what is None does not matter."""

    states: frozenset[JobState] | None = None
    ended: bool | None = None
    pool: PoolName | None = None
    queue: QueueName | None = None
    user: UserName | None = None


class JobPage(Value, frozen=True, kw_only=True):
    """Some jobs, newest first."""

    jobs: tuple[Job, ...]
    next: str | None
    """The cursor of the page after this one; None at the end."""


class Reader:
    """Sees what is committed, and can not write. Use as ``async with``, inside the database's.

    The point look-ups take well under a millisecond and are called straight from the loop.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._uri = f"{path.absolute().as_uri()}?mode=ro"
        self._points: sqlite3.Connection | None = None
        self._lists: aiosqlite.Connection | None = None

    async def __aenter__(self) -> Self:
        self._points = sqlite3.connect(self._uri, uri=True, isolation_level=None)
        self._points.execute("PRAGMA query_only = ON")
        self._lists = await aiosqlite.connect(self._uri, uri=True, isolation_level=None)
        await self._lists.execute("PRAGMA query_only = ON")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close both connections; before the database closes, so that it is the last."""
        if self._points is not None:
            self._points.close()
        if self._lists is not None:
            await self._lists.close()
        self._points = self._lists = None

    # --- at once

    def job_by_number(self, number: int) -> Job | None:
        """Return the job of that number, ended or not."""
        if not -(1 << 63) <= number < 1 << 63:
            return None
        return self._job("SELECT body FROM jobs WHERE number = ?", number)

    def job_by_uid(self, uid: str) -> Job | None:
        """Return the job of that uid, ended or not."""
        return self._job("SELECT body FROM jobs WHERE uid = ?", uid)

    def find_key(self, user: str, key: str) -> KeyRow | None:
        """Return what an idempotency key of this user stands for."""
        row = self._one("SELECT * FROM keys WHERE user = ? AND key = ?", user, key)
        return None if row is None else rows.key_from(row)

    def ended_states(self, first: int, last: int) -> dict[int, JobState]:
        """Return how the jobs with these numbers ended that have ended, by number."""
        query = "SELECT number, state FROM jobs WHERE number BETWEEN ? AND ? AND ended = 1"
        return {number: JobState(state) for number, state in self._rows(query, first, last)}

    def _job(self, query: str, which: int | JobNumber | JobUid | str) -> Job | None:
        row = self._one(query, which)
        return None if row is None else rows.job_from(row[0])

    def _one(self, query: str, *arguments: Any) -> rows.Row | None:
        return next(iter(self._rows(query, *arguments)), None)

    def _rows(self, query: str, *arguments: Any) -> list[rows.Row]:
        assert self._points is not None, "the reader is closed"
        try:
            return self._points.execute(query, arguments).fetchall()
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    # --- lists

    async def jobs(
        self, wanted: JobFilter, *, cursor: str | None = None, limit: int = 100
    ) -> JobPage:
        """Return a page of jobs, newest first; jobs that arrive meanwhile don't shift it."""
        limit = max(1, min(limit, MAX_PAGE))
        query, arguments = job_query(wanted, before=_number_of(cursor), limit=limit + 1)
        found = await self._all(query, arguments)
        jobs = tuple(rows.job_from(body) for _, body in found[:limit])
        return JobPage(jobs=jobs, next=str(jobs[-1].number) if len(found) > limit else None)

    async def events(
        self, *, after: int, limit: int = 1000, job: int | None = None
    ) -> tuple[JournalRow, ...]:
        """Return the journal's lines that follow a sequence number, oldest first."""
        where = "seq > ?" if job is None else "job = ? AND seq > ?"
        about = (after,) if job is None else (job, after)
        query = f"{_LINE} WHERE {where} ORDER BY seq LIMIT ?"
        return tuple(map(rows.journal_from, await self._all(query, (*about, limit))))

    async def newest(self, limit: int = 100) -> tuple[JournalRow, ...]:
        """Return the journal's last lines, oldest first."""
        found = await self._all(f"{_LINE} ORDER BY seq DESC LIMIT ?", (limit,))
        return tuple(rows.journal_from(row) for row in reversed(found))

    async def audit(self, *, before: int | None, limit: int) -> tuple[JournalRow, ...]:
        """Return what was done to the pool itself, newest first."""
        acts = " OR ".join(f"kind GLOB '{kind}.*'" for kind in AUDITED)
        query = f"{_LINE} WHERE ({acts}) AND seq < ? ORDER BY seq DESC LIMIT ?"
        found = await self._all(query, (MOST if before is None else before, limit))
        return tuple(rows.journal_from(row) for row in found)

    async def _all(self, query: str, arguments: Sequence[Any]) -> list[rows.Row]:
        assert self._lists is not None, "the reader is closed"
        try:
            found: Iterable[Any] = await self._lists.execute_fetchall(query, arguments)
        except sqlite3.Error as error:
            raise failure(error, self.path) from error
        return list(found)


def job_query(wanted: JobFilter, *, before: int | None, limit: int) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL of one page and its arguments.

    One part for what has not ended and one for each ended state: every part reads its own index
    in the order of the numbers and stops at the limit, so that no page sorts the whole history.
    """
    columns = {"user": wanted.user, "pool": wanted.pool, "queue": wanted.queue}
    given = {name: value for name, value in columns.items() if value is not None}
    if not given and wanted.states is None and wanted.ended is None:
        parts = [_part({}, "1", before, limit)]
    else:
        parts = [_part({**given, **kind}, where, before, limit) for where, kind in _kinds(wanted)]
    union = " UNION ALL ".join(f"SELECT * FROM ({part})" for part, _ in parts)
    query = f"SELECT * FROM ({union or 'SELECT 0, 0 WHERE 0'}) ORDER BY 1 DESC LIMIT ?"
    return query, (*(value for _, arguments in parts for value in arguments), limit)


def _kinds(wanted: JobFilter) -> list[tuple[str, dict[str, str]]]:
    states = frozenset(JobState) if wanted.states is None else wanted.states
    kinds: list[tuple[str, dict[str, str]]] = []
    if wanted.ended is not False:
        kinds += [("ended = 1", {"state": state.value}) for state in sorted(states & ENDED)]
    if wanted.ended is not True and (still := states - ENDED):
        every = len(still) == len(JobState) - len(ENDED)
        open_states = [{}] if every else [{"state": state.value} for state in sorted(still)]
        kinds += [("ended = 0", kind) for kind in open_states]
    return kinds


def _part(
    equal: dict[str, str], where: str, before: int | None, limit: int
) -> tuple[str, tuple[Any, ...]]:
    clauses = [where, *(f"{column} = ?" for column in equal)]
    cursor: tuple[int, ...] = ()
    if before is not None:
        clauses.append("number < ?")
        cursor = (before,)
    query = f"SELECT number, body FROM jobs WHERE {' AND '.join(clauses)}"
    return f"{query} ORDER BY number DESC LIMIT ?", (*equal.values(), *cursor, limit)


def _number_of(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 18:
        message = "cursor: not one that a list of jobs has given out"
        raise Invalid((FieldError(field="cursor", message=message),))
    return int(cursor)
