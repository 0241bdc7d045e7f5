"""What is done inside one transaction: plain functions on the writer's connection."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from eaas.lifecycle import JobState
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.changes import Changes, ClaimRow
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.model import Job, Node, Pool, Queue, Value
from eaas_daemon.core.on_jobs import FOLDER_KEYS
from eaas_daemon.core.usage import Span, counts_s
from eaas_daemon.store import rows
from eaas_daemon.store.failures import StoreRefused

KEEP_KEYS_S: Final = 7 * 86400.0
"""An idempotency key means the same job for a week."""

KEEP_LIVES: Final = 10_000
"""So many starts later a node that was away all the time is not known again."""

READ_RUNS: Final = 2000
"""From so many jobs it is learned at the start how long jobs usually run."""

PRUNE_ROWS: Final = 500
"""How many rows of each kind one call may delete, so that no commit waits long behind it."""

_PUT_JOB: Final = """
    INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number)
    DO UPDATE SET user = excluded.user, name = excluded.name, pool = excluded.pool,
        queue = excluded.queue, state = excluded.state, priority = excluded.priority,
        created_at = excluded.created_at, finished_at = excluded.finished_at,
        ended = excluded.ended, body = excluded.body
    WHERE uid = excluded.uid"""
_PUT_ATTEMPT: Final = """
    INSERT INTO attempts VALUES (?, ?, ?, ?, ?) ON CONFLICT (job, number)
    DO UPDATE SET node = excluded.node, state = excluded.state, live = excluded.live"""
_PUT_NODE: Final = """
    INSERT INTO nodes VALUES (?, ?, ?) ON CONFLICT (name)
    DO UPDATE SET uid = excluded.uid, body = excluded.body"""
_PUT_POOL: Final = """
    INSERT INTO pools VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body"""
_PUT_QUEUE: Final = """
    INSERT INTO queues VALUES (?, ?, ?) ON CONFLICT (pool, name)
    DO UPDATE SET body = excluded.body"""
_PUT_CREDENTIAL: Final = """
    INSERT INTO credentials VALUES (?, ?, ?) ON CONFLICT (id)
    DO UPDATE SET role = excluded.role, body = excluded.body"""
_PUT_BOOKING: Final = """
    INSERT INTO bookings VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body"""
_PUT_SPOOL: Final = """
    INSERT INTO spools VALUES (?, ?, ?) ON CONFLICT (spool_id)
    DO UPDATE SET first_seq = excluded.first_seq, last_seq = excluded.last_seq"""
_RELEASE: Final = """
    UPDATE claims SET released_at = ?
    WHERE node = ? AND card = ? AND job = ? AND attempt = ? AND released_at IS NULL"""
_CLAIM: Final = """
    INSERT INTO claims (node, card, job, attempt, memory_mib, of_mib, claimed_at, released_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


class Loaded(Value, frozen=True, kw_only=True):
    """What the controller starts from."""

    epoch: int
    life: str
    """The one that began when the database was opened."""
    lives: dict[str, int]
    """How far each earlier life came: its last stored change."""
    next_number: int
    seq: int
    jobs: tuple[Job, ...]
    """Those that have not ended, by number."""
    nodes: tuple[Node, ...]
    pools: tuple[Pool, ...]
    queues: tuple[Queue, ...]
    spans: tuple[Span, ...]
    """The cards that count for fair share."""
    at: float
    """The moment of all this, by the store's clock."""
    credentials: tuple[Credential, ...]
    succeeded: tuple[Job, ...]
    """The last jobs that succeeded, by number: how long jobs usually run."""
    spools: dict[str, int]
    """The last sequence number taken from each spool."""
    bookings: tuple[Booking, ...] = ()
    next_booking: int = 1


def begin_life(connection: sqlite3.Connection, life: str, at: float) -> None:
    """Write down that a controller starts, and how far the one before it came.

    A new database begins with epoch 1, and its first job will be number 1.
    """
    connection.execute("INSERT OR IGNORE INTO meta VALUES (1, 1, 1, 0, ?)", (at,))
    _set_clock_back(connection, at)
    connection.execute("UPDATE lives SET last_seq = (SELECT seq FROM meta) WHERE last_seq IS NULL")
    connection.execute("INSERT INTO lives VALUES (?, ?, NULL)", (life, at))
    connection.execute(
        "DELETE FROM lives WHERE last_seq IS NOT NULL"  # a clock set back may put this one first
        " AND id NOT IN (SELECT id FROM lives ORDER BY id DESC LIMIT ?)",
        (KEEP_LIVES,),
    )


def write_changes(connection: sqlite3.Connection, changes: Changes, at: float) -> None:
    """Write everything one step did; raise where the database does not allow it."""
    _write_meta(connection, changes)
    _write_pools(connection, changes)
    connection.executemany(
        "DELETE FROM nodes WHERE name = ?", [(name,) for name in changes.gone_nodes]
    )
    connection.executemany(_PUT_NODE, [rows.node_row(node) for node in changes.nodes])
    connection.executemany(
        "DELETE FROM credentials WHERE id = ?", [(id,) for id in changes.gone_credentials]
    )
    connection.executemany(
        _PUT_CREDENTIAL, [rows.credential_row(each) for each in changes.credentials]
    )
    _write_bookings(connection, changes)
    _write_jobs(connection, changes.jobs)
    if changes.clock_back_to is not None:
        _set_clock_back(connection, changes.clock_back_to)
    _write_claims(connection, changes, at)
    connection.executemany(
        "INSERT INTO keys VALUES (?, ?, ?, ?, ?)", [rows.key_row(row) for row in changes.keys]
    )
    connection.executemany(_PUT_SPOOL, changes.spools)
    connection.executemany(
        "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [rows.journal_row(row) for row in changes.journal],
    )


def _write_meta(connection: sqlite3.Connection, changes: Changes) -> None:
    """Move the counters on; they never go back, whoever asks."""
    done = connection.execute(
        "UPDATE meta SET next_number = :number, seq = :seq"
        " WHERE next_number <= :number AND seq <= :seq",
        {"number": changes.next_number, "seq": changes.seq},
    )
    if done.rowcount != 1:
        raise StoreRefused(
            f"the database is past sequence {changes.seq} or job {changes.next_number} already"
        )


def _write_bookings(connection: sqlite3.Connection, changes: Changes) -> None:
    gone = [(id,) for id in changes.gone_bookings]
    connection.executemany("DELETE FROM bookings WHERE id = ?", gone)
    connection.executemany(_PUT_BOOKING, [rows.booking_row(each) for each in changes.bookings])


def _write_jobs(connection: sqlite3.Connection, jobs: Sequence[Job]) -> None:
    if not jobs:
        return
    done = connection.executemany(_PUT_JOB, [rows.job_row(job) for job in jobs])
    if done.rowcount != len(jobs):
        raise StoreRefused("the table jobs has another job under one of these numbers already")
    every = [(job, attempt) for job in jobs for attempt in job.attempts]
    # one step may end several: a node tells of later ones than its controller knew of
    connection.executemany(_PUT_ATTEMPT, [rows.attempt_row(*each) for each in every])


def _write_claims(connection: sqlite3.Connection, changes: Changes, at: float) -> None:
    """Release first: a card may go from one attempt to the next within one step."""
    connection.executemany(_RELEASE, [(at, *_card_of(row)) for row in changes.released])
    over = set(changes.released)
    connection.executemany(
        _CLAIM,
        [
            (*_card_of(row), row.memory_mib, row.of_mib, at, at if row in over else None)
            for row in changes.claimed
        ],
    )


def _card_of(row: ClaimRow) -> rows.Row:
    return row.node, row.card, row.job, row.attempt


def _write_pools(connection: sqlite3.Connection, changes: Changes) -> None:
    connection.executemany(
        "DELETE FROM queues WHERE pool = ? AND name = ?",
        [ref.split("/", 1) for ref in changes.gone_queues],
    )
    connection.executemany(
        "DELETE FROM pools WHERE name = ?", [(name,) for name in changes.gone_pools]
    )
    for pool in changes.pools:
        connection.execute(_PUT_POOL, rows.pool_row(pool))
        connection.execute("DELETE FROM pool_members WHERE pool = ?", (pool.name,))
        connection.executemany("INSERT INTO pool_members VALUES (?, ?, ?)", rows.member_rows(pool))
    connection.executemany(_PUT_QUEUE, [rows.queue_row(queue) for queue in changes.queues])


def read_all(connection: sqlite3.Connection, at: float) -> Loaded:
    """Return what the controller starts from; inside a transaction, all of one moment: ``at``."""
    epoch, next_number, seq = connection.execute(
        "SELECT epoch, next_number, seq FROM meta"
    ).fetchone()
    (life,) = connection.execute("SELECT id FROM lives WHERE last_seq IS NULL").fetchone()
    jobs = connection.execute("SELECT body FROM jobs WHERE ended = 0 ORDER BY number")
    nodes = connection.execute("SELECT body FROM nodes ORDER BY name")
    queues = connection.execute("SELECT body FROM queues ORDER BY pool, name")
    pools = _read_pools(connection)
    credentials = connection.execute("SELECT body FROM credentials ORDER BY id")
    succeeded = connection.execute(
        "SELECT body FROM jobs WHERE ended = 1 AND state = ? ORDER BY number DESC LIMIT ?",
        (JobState.SUCCEEDED, READ_RUNS),
    )
    bookings = connection.execute("SELECT body FROM bookings ORDER BY id")
    (last_booking,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'bookings'"
    ).fetchone()
    return Loaded(
        epoch=epoch,
        life=life,
        lives=dict(connection.execute("SELECT id, last_seq FROM lives WHERE last_seq IS NOT NULL")),
        next_number=next_number,
        seq=seq,
        jobs=tuple(rows.job_from(body) for (body,) in jobs),
        nodes=tuple(rows.node_from(body) for (body,) in nodes),
        pools=pools,
        spans=_read_spans(connection, pools, at),
        at=at,
        queues=tuple(rows.queue_from(body) for (body,) in queues),
        credentials=tuple(rows.credential_from(body) for (body,) in credentials),
        succeeded=tuple(rows.job_from(body) for (body,) in reversed(succeeded.fetchall())),
        spools=dict(connection.execute("SELECT spool_id, last_seq FROM spools")),
        bookings=tuple(rows.booking_from(body) for (body,) in bookings),
        next_booking=last_booking + 1,
    )


def _read_pools(connection: sqlite3.Connection) -> tuple[Pool, ...]:
    bodies = dict(connection.execute("SELECT name, body FROM pools ORDER BY name"))
    members: dict[str, list[tuple[str, bytes | None]]] = {name: [] for name in bodies}
    for pool, node, cards in connection.execute(
        "SELECT pool, node, cards FROM pool_members ORDER BY pool, node"
    ):
        members[pool].append((node, cards))
    return tuple(rows.pool_from(name, bodies[name], listed) for name, listed in members.items())


def _read_spans(
    connection: sqlite3.Connection, pools: Sequence[Pool], at: float
) -> tuple[Span, ...]:
    """Return who had which card when, as far back as it counts."""
    found = connection.execute(
        "SELECT jobs.pool, jobs.user, claimed_at, released_at, memory_mib, of_mib"
        " FROM claims JOIN jobs ON jobs.uid = claims.job WHERE released_at IS NULL"
        " OR released_at > ?",
        (at - counts_s(pools),),
    )
    return tuple(Span(*row) for row in found)


def _set_clock_back(connection: sqlite3.Connection, at: float) -> None:
    """Let no card have changed hands later than now: the clock was ahead when that was written."""
    connection.execute(
        "UPDATE claims SET claimed_at = min(claimed_at, :at), released_at = min(released_at, :at)"
        " WHERE claimed_at > :at OR released_at > :at",
        {"at": at},
    )


def prune_some(connection: sqlite3.Connection, now: float, keep_journal_s: float) -> int:
    """Delete a bounded number of rows nobody will ask for; return how many.

    Idempotency keys go after a week, but for those of files in watched folders; history and
    released claims after ``keep_journal_s``, but for those that still count for fair share.
    """
    keep_claims_s = max(keep_journal_s, counts_s(_read_pools(connection)))
    old_keys = connection.execute(
        "DELETE FROM keys WHERE rowid IN"
        " (SELECT rowid FROM keys WHERE at < ? AND key NOT GLOB ? LIMIT ?)",
        (now - KEEP_KEYS_S, f"{FOLDER_KEYS}*", PRUNE_ROWS),
    )
    old_lines = connection.execute(
        "DELETE FROM journal WHERE at < ?"
        " AND seq IN (SELECT seq FROM journal ORDER BY seq LIMIT ?)",
        (now - keep_journal_s, PRUNE_ROWS),
    )
    old_claims = connection.execute(
        "DELETE FROM claims WHERE released_at < ?"
        " AND id IN (SELECT id FROM claims ORDER BY id LIMIT ?)",
        (now - keep_claims_s, PRUNE_ROWS),
    )
    return old_keys.rowcount + old_lines.rowcount + old_claims.rowcount
