"""The controller's end of ``/agent/v1/logs``: stores what agents send and says how far it is."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import WSMsgType, web

from eaas.errors import EaasError
from eaas.wire.codec import MAX_MESSAGE_BYTES, BadMessage
from eaas.wire.logs import (
    LOG_FROM_AGENT,
    LOG_TO_AGENT,
    AnyLogFromAgent,
    LogAck,
    LogAsk,
    LogEnd,
    LogHello,
    LogPiece,
    LogPieces,
)
from eaas_daemon.logs.failures import LogHole
from eaas_daemon.logs.files import LogKey, log_key
from eaas_daemon.logs.store import LogStore

KnownSession = Callable[[str, str], bool]
"""(node_uid, session) -> whether that is a live control connection."""
OnEnd = Callable[[str, int, LogEnd], Awaitable[None]]
"""Commits that an attempt's log is complete; called again when the agent repeats the end."""

HELLO_S: Final = 10.0
HEARTBEAT_S: Final = 20.0
INBOX_MESSAGES: Final = 8
"""Messages that wait to be stored; a sender that is faster than the disk has to wait."""

BAD_MESSAGE: Final = 4400
UNKNOWN_SESSION: Final = 4401
TRY_AGAIN_LATER: Final = 1013


class _UnknownSession(EaasError):
    """The control connection this belongs to is over."""

    code = "unknown_session"


async def serve_logs(
    request: web.Request, store: LogStore, known_session: KnownSession, on_end: OnEnd
) -> web.WebSocketResponse:
    """Serve one agent's log link until it ends.

    It is closed with 4400 after a message that makes no sense, 4401 when its control connection
    is not known (any more), and 1013 when nothing can be stored now: the agent still has
    everything, comes again and asks where to go on.
    """
    socket = web.WebSocketResponse(
        max_msg_size=MAX_MESSAGE_BYTES, heartbeat=HEARTBEAT_S, compress=False
    )
    await socket.prepare(request)
    link = LogLink(socket, store, known_session, on_end)
    try:
        await link.run()
    except (BadMessage, TimeoutError) as error:
        await _close(socket, BAD_MESSAGE, str(error) or "no hello in time")
    except _UnknownSession as error:
        await _close(socket, UNKNOWN_SESSION, error.sentence)
    except EaasError as error:
        await _close(socket, TRY_AGAIN_LATER, error.sentence)
    return socket


async def _close(socket: web.WebSocketResponse, code: int, why: str) -> None:
    await socket.close(code=code, message=why.encode()[:120])


class LogLink:
    """One agent's connection: a reader that fills the inbox, a worker that empties it."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        store: LogStore,
        known_session: KnownSession,
        on_end: OnEnd,
    ) -> None:
        self._socket = socket
        self._store = store
        self._known_session = known_session
        self._on_end = on_end
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(INBOX_MESSAGES)

    async def run(self) -> None:
        """Work until the connection ends; raise what it has to be closed for."""
        async with asyncio.timeout(HELLO_S):
            hello = await self._hello()
        if hello is None:
            return
        async with asyncio.TaskGroup() as tasks:
            reader = tasks.create_task(self._read())
            failure = await self._work(hello)
            reader.cancel()
        if failure is not None:
            raise failure

    async def _hello(self) -> LogHello | None:
        data = await self._receive()
        if data is None:
            return None
        hello = LOG_FROM_AGENT.decode(data)
        if not isinstance(hello, LogHello):
            raise BadMessage("the first message has to be log_hello")
        return hello

    async def _receive(self) -> bytes | None:
        """Return the next message; None at the end, empty for one that is no bytes."""
        message = await self._socket.receive()
        if message.type is WSMsgType.BINARY:
            assert isinstance(message.data, bytes)
            return message.data
        return b"" if message.type is WSMsgType.TEXT else None

    async def _read(self) -> None:
        while (data := await self._receive()) is not None:
            await self._inbox.put(data)
        await self._inbox.put(None)

    async def _work(self, hello: LogHello) -> EaasError | None:
        """Store batch after batch; return why it had to stop, None at the connection's end."""
        try:
            while batch := await self._batch():
                if not self._known_session(hello.node_uid, hello.session):
                    raise _UnknownSession("the control connection of this log link is over")
                await self._take(batch)
        except EaasError as error:
            return error
        except ConnectionError:  # it went away while we answered
            return None
        return None

    async def _batch(self) -> list[bytes]:
        """Wait for a message and return all that are there; empty at the connection's end."""
        batch = [await self._inbox.get()]
        while not self._inbox.empty() and batch[-1] is not None:
            batch.append(self._inbox.get_nowait())
        if batch[-1] is None and len(batch) > 1:
            self._inbox.put_nowait(None)
        return [data for data in batch if data is not None]

    async def _take(self, batch: list[bytes]) -> None:
        """Store a batch in order, then the ends in it together; one answer for each attempt."""
        touched: dict[LogKey, None] = {}
        ends: dict[LogKey, LogEnd] = {}
        ended: set[LogKey] = set()
        try:
            for data in batch:
                await self._take_one(LOG_FROM_AGENT.decode(data), touched, ends)
            ended = await self._finish(ends)
        finally:
            for key in touched:
                await self._answer(key, ended=key in ended)

    async def _take_one(
        self,
        message: AnyLogFromAgent,
        touched: dict[LogKey, None],
        ends: dict[LogKey, LogEnd],
    ) -> None:
        match message:
            case LogPieces(pieces=pieces):
                for piece in pieces:
                    touched[log_key(piece.uid, piece.attempt)] = None
                    await self._append(piece)
            case LogEnd(uid=uid, attempt=attempt):
                key = log_key(uid, attempt)
                touched[key] = None
                ends[key] = message
            case LogAsk(uid=uid, attempt=attempt):
                touched[log_key(uid, attempt)] = None
            case LogHello():
                raise BadMessage("log_hello comes once")

    async def _append(self, piece: LogPiece) -> None:
        try:
            await self._store.append(
                piece.uid, piece.attempt, piece.stream, piece.offset, piece.data, at=piece.at
            )
        except LogHole:
            return  # the answer says where to go on

    async def _finish(self, ends: dict[LogKey, LogEnd]) -> set[LogKey]:
        """End the logs and commit that; return those that the agent may forget."""
        ended: set[LogKey] = set()
        failures: list[EaasError] = []

        async def finish(key: LogKey, end: LogEnd) -> None:
            try:
                await self._store.end(*key, end.stdout_bytes, end.stderr_bytes, end.gap_bytes)
                await self._on_end(*key, end)
                ended.add(key)
            except LogHole:
                return
            except EaasError as error:
                failures.append(error)

        async with asyncio.TaskGroup() as tasks:
            for key, end in ends.items():
                tasks.create_task(finish(key, end))
        if failures:
            raise failures[0]
        return ended

    async def _answer(self, key: LogKey, *, ended: bool) -> None:
        """Say how far the attempt is stored.

        ``ended`` is only said for an end that was committed just now, never because of what lies
        on the disk: the agent would forget the log before the controller knows it is complete.
        """
        stdout, stderr, _ = self._store.position(*key)
        ack = LogAck(uid=key.uid, attempt=key.attempt, stdout=stdout, stderr=stderr, ended=ended)
        await self._socket.send_bytes(LOG_TO_AGENT.encode(ack))
