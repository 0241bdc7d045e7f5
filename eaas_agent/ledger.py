"""The agent's own database: nothing is done before its intent is on disk here.

One writer thread owns the only writing connection. The engine hands it everything that came in
while the commit before was under way, so a busy node pays one fsync for many attempts and an idle
one none extra. Reads of single rows happen on the event loop, over a connection that cannot write.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec

from eaas.errors import EaasError
from eaas.ids import new_uid
from eaas.lives import Obeyed
from eaas.wire.from_agent import Fact, Spooled
from eaas_agent.changes import Changes
from eaas_agent.model import Attempt

RESERVE_BYTES: Final = 2 << 20
"""Given back to a full disk, so that results can still be written down."""

FORGOTTEN_AFTER_S: Final = 30 * 86400.0
"""A job without a workspace is remembered this long, lest it start twice."""

UNTOLD_END_S: Final = 30 * 86400.0
"""After this without a word, a job is taken for over."""


class LedgerFull(EaasError):
    """The disk is full, or the database could not be written for another reason."""

    code = "disk_full"


class Recovered(msgspec.Struct, frozen=True):
    """Everything an agent has to know when it starts."""

    node_uid: str
    spool_id: str
    obeyed: Obeyed
    attempts: tuple[Attempt, ...]
    last_seq: int


def obeyed_in(meta: Mapping[str, str]) -> Obeyed:
    """Return who was obeyed last, by what is kept of it."""
    return Obeyed(
        epoch=int(meta.get("epoch", 0)),
        life=meta.get("life", ""),
        seq=int(meta.get("life_seq", 0)),
    )


def who_was_obeyed(path: Path) -> Obeyed:
    """Return it from a ledger that an agent may be at work on; where there is none, nobody was."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as reader:
            return obeyed_in(dict(reader.execute("SELECT key, value FROM meta").fetchall()))
    except sqlite3.Error:
        return Obeyed()


class Ledger:
    """The database of one state folder. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reserve = path.with_name("reserve")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        self._encoder = msgspec.msgpack.Encoder()
        path.touch(0o600)
        self._db = _open(path)
        self._reader = sqlite3.connect(path, isolation_level=None)
        self._reader.execute("PRAGMA query_only = ON")
        self.refill()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.shutdown(wait=True)
        self._reader.close()
        self._db.close()

    def recover(self) -> Recovered:
        """Return what the ledger holds, after giving a new one its identities."""
        for key in ("node_uid", "spool_id"):
            row = (key, new_uid())
            self._db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING", row)
        meta = dict(self._db.execute("SELECT key, value FROM meta").fetchall())
        decoder = msgspec.msgpack.Decoder(Attempt)
        rows = self._db.execute("SELECT body FROM attempts ORDER BY uid, attempt").fetchall()
        (last,) = self._db.execute("SELECT max(seq) FROM spool").fetchone()
        return Recovered(
            node_uid=meta["node_uid"],
            spool_id=meta["spool_id"],
            obeyed=obeyed_in(meta),
            attempts=tuple(decoder.decode(body) for (body,) in rows),
            last_seq=max(last or 0, int(meta.get("last_seq", 0))),
        )

    def meta(self, key: str) -> str | None:
        """Return a value kept under this key."""
        row = self._reader.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    async def commit(self, changes: Changes) -> None:
        """Write everything in one transaction; raise ``LedgerFull`` when nothing of it was written.

        A cancelled call may still have written all of it.
        """
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, self._write, changes)

    def facts_after(self, seq: int, limit: int) -> tuple[Spooled, ...]:
        """Return committed facts that follow this one, in order."""
        decoder = _FACTS
        rows = self._reader.execute(
            "SELECT seq, fact FROM spool WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit)
        )
        return tuple(Spooled(number, decoder.decode(fact)) for number, fact in rows)

    def highest(self, uids: Iterable[str]) -> dict[str, int]:
        """Return the highest attempt ever held here of each of these jobs that was ever here."""
        query = "SELECT highest FROM jobs WHERE uid = ?"
        found: dict[str, int] = {}
        for uid in uids:
            row = self._reader.execute(query, (uid,)).fetchone()
            if row is not None:
                found[uid] = row[0]
        return found

    def expired(self, now: float, limit: int = 64) -> list[str]:
        """Return jobs whose workspace has been kept long enough, the longest overdue first."""
        rows = self._reader.execute(
            "SELECT uid FROM jobs WHERE has_workspace = 1 AND expires_at < ?"
            " ORDER BY expires_at LIMIT ?",
            (now, limit),
        )
        return [uid for (uid,) in rows]

    def ended_first(self, limit: int = 16) -> list[str]:
        """Return jobs that ended first and still have a workspace, for a disk under pressure."""
        rows = self._reader.execute(
            "SELECT uid FROM jobs WHERE has_workspace = 1 AND ended_at IS NOT NULL"
            " ORDER BY ended_at LIMIT ?",
            (limit,),
        )
        return [uid for (uid,) in rows]

    def refill(self) -> bool:
        """Put the reserve back; tell whether it stands."""
        try:
            if not self._reserve.exists() or self._reserve.stat().st_size < RESERVE_BYTES:
                self._reserve.write_bytes(bytes(RESERVE_BYTES))
        except OSError:
            return False
        return True

    def _write(self, changes: Changes) -> None:
        try:
            self._transaction(changes)
        except sqlite3.OperationalError as error:
            if not self._reserve.exists():
                raise LedgerFull(f"{self._path} can't be written: {error}") from error
            self._reserve.unlink(missing_ok=True)
            try:
                self._transaction(changes)
            except sqlite3.OperationalError as again:
                raise LedgerFull(f"{self._path} can't be written: {again}") from again

    def _transaction(self, changes: Changes) -> None:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            self._write_attempts(changes)
            self._write_jobs(changes)
            db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.OperationalError):
                db.execute("ROLLBACK")
            raise

    def _write_attempts(self, changes: Changes) -> None:
        encode = self._encoder.encode
        _many(
            self._db,
            "INSERT INTO attempts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
            [(k.uid, k.attempt, encode(v)) for k, v in changes.attempts.items() if v is not None],
        )
        _many(
            self._db,
            "DELETE FROM attempts WHERE uid = ? AND attempt = ?",
            [(k.uid, k.attempt) for k, v in changes.attempts.items() if v is None],
        )
        _many(
            self._db,
            "INSERT INTO spool VALUES (?, ?)",
            [(spooled.seq, encode(spooled.fact)) for spooled in changes.facts],
        )
        if changes.prune_facts_to is not None:
            self._db.execute("DELETE FROM spool WHERE seq <= ?", (changes.prune_facts_to,))
        _many(
            self._db,
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            list(changes.meta.items()),
        )

    def _write_jobs(self, changes: Changes) -> None:
        _many(
            self._db,
            "INSERT INTO jobs (uid, highest, keep_s, touched_at, expires_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest),"
            " keep_s = excluded.keep_s, touched_at = excluded.touched_at, ended_at = NULL,"
            " expires_at = excluded.expires_at, has_workspace = 1",
            [
                (job.uid, job.attempt, job.keep_s, job.at, job.at + job.keep_s + UNTOLD_END_S)
                for job in changes.touched
            ],
        )
        _many(
            self._db,
            "UPDATE jobs SET ended_at = ?1, expires_at = ?1 + keep_s"
            " WHERE uid = ?2 AND ended_at IS NULL",
            changes.ended_jobs,
        )
        _many(
            self._db,
            "UPDATE jobs SET expires_at = max(expires_at, ?) WHERE uid = ?",
            changes.keep_until,
        )
        gone = [(uid,) for uid in changes.gone_workspaces]
        _many(self._db, "UPDATE jobs SET has_workspace = 0 WHERE uid = ?", gone)
        if changes.touched:
            self._db.execute(
                "DELETE FROM jobs WHERE has_workspace = 0 AND touched_at < ?",
                (changes.touched[-1].at - FORGOTTEN_AFTER_S,),
            )


_FACTS: Final = msgspec.msgpack.Decoder[Fact](Fact)


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA busy_timeout = 5000")
    db.executescript(Path(__file__).with_name("ledger.sql").read_text())
    return db


def _many(db: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        db.executemany(statement, rows)
