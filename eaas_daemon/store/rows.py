"""How values of the core become rows and come back."""

from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName, PoolName
from eaas.lifecycle import PLACED
from eaas_daemon.core.booking import Booking
from eaas_daemon.core.changes import JournalRow, KeyRow
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.model import Attempt, Job, Node, Pool, Queue

T = TypeVar("T")
Row = tuple[Any, ...]

_encode: Final = msgspec.msgpack.Encoder().encode
_job: Final = msgspec.msgpack.Decoder(Job)
_node: Final = msgspec.msgpack.Decoder(Node)
_pool: Final = msgspec.msgpack.Decoder(Pool)
_queue: Final = msgspec.msgpack.Decoder(Queue)
_credential: Final = msgspec.msgpack.Decoder(Credential)
_booking: Final = msgspec.msgpack.Decoder(Booking)
_numbers: Final = msgspec.msgpack.Decoder(tuple[int, ...])
_cards: Final = msgspec.msgpack.Decoder(tuple[CardUuid, ...])
_data: Final = msgspec.msgpack.Decoder(dict[str, Any])


def job_row(job: Job) -> Row:
    """Return the columns of ``jobs``."""
    return (
        job.number,
        job.uid,
        job.user,
        job.spec.name,
        job.pool,
        job.queue,
        job.state.value,
        job.priority,
        job.created_at,
        job.finished_at,
        int(job.ended),
        _encode(job),
    )


def attempt_row(job: Job, attempt: Attempt) -> Row:
    """Return the columns of ``attempts``."""
    live = attempt.state in PLACED
    return job.number, attempt.number, attempt.node, attempt.state.value, int(live)


def key_row(row: KeyRow) -> Row:
    """Return the columns of ``keys``."""
    return row.user, row.key, row.body_hash, _encode(row.jobs), row.at


def journal_row(row: JournalRow) -> Row:
    """Return the columns of ``journal``."""
    data = _encode(row.data) if row.data else None
    return row.seq, row.at, row.kind, row.text, row.job, row.node, row.user, data


def node_row(node: Node) -> Row:
    """Return the columns of ``nodes``: what is known of the node, without what is only now."""
    body = replace(node, session=None, cards=(), memory_used_mib=None, sampled_at=None)
    return node.name, node.uid, _encode(body)


def member_rows(pool: Pool) -> list[Row]:
    """Return the rows of ``pool_members``."""
    return [
        (pool.name, node, None if cards is None else _encode(cards))
        for node, cards in pool.members.items()
    ]


def pool_row(pool: Pool) -> Row:
    """Return the columns of ``pools``; the members are rows of their own."""
    return pool.name, _encode(replace(pool, members={}))


def queue_row(queue: Queue) -> Row:
    """Return the columns of ``queues``."""
    return queue.pool, queue.name, _encode(queue)


def credential_row(credential: Credential) -> Row:
    """Return the columns of ``credentials``."""
    return credential.id, credential.role, _encode(credential)


def credential_from(body: bytes) -> Credential:
    """Return the credential of a body."""
    return _credential.decode(body)


def booking_row(booking: Booking) -> Row:
    """Return the columns of ``bookings``."""
    return booking.id, _encode(booking)


def booking_from(body: bytes) -> Booking:
    """Return the booking of a body."""
    return _booking.decode(body)


def job_from(body: bytes) -> Job:
    """Return the job of a body."""
    return _job.decode(body)


def node_from(body: bytes) -> Node:
    """Return the node of a body; it has no session and no readings."""
    return _node.decode(body)


def queue_from(body: bytes) -> Queue:
    """Return the queue of a body."""
    return _queue.decode(body)


def pool_from(name: str, body: bytes | None, members: list[tuple[str, bytes | None]]) -> Pool:
    """Return the pool of its rows."""
    pool = Pool(name=PoolName(name)) if body is None else _pool.decode(body)
    return replace(
        pool,
        members={
            NodeName(node): None if cards is None else _cards.decode(cards)
            for node, cards in members
        },
    )


def key_from(row: Row) -> KeyRow:
    """Return the idempotency key of a row."""
    user, key, body_hash, jobs, at = row
    return KeyRow(user=user, key=key, body_hash=body_hash, jobs=_numbers.decode(jobs), at=at)


def journal_from(row: Row) -> JournalRow:
    """Return the line of history of a row."""
    seq, at, kind, text, job, node, user, data = row
    return JournalRow(
        seq=seq,
        at=at,
        kind=kind,
        text=text,
        job=job,
        node=node,
        user=user,
        data={} if data is None else _data.decode(data),
    )
