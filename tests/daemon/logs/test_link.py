import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType, web
from aiohttp.test_utils import TestClient, TestServer

from eaas.wire.codec import MAX_MESSAGE_BYTES
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
from eaas_daemon.logs.link import serve_logs
from eaas_daemon.logs.store import LogStore
from eaas_daemon.store.failures import StoreUnavailable

UID = "0197a000-0000-7000-8000-0000000000ab"
OTHER = "0197a000-0000-7000-8000-0000000000ac"
HELLO = LogHello(node_uid="n", session="s")


class Controller:
    """A real server with the log link, and what the engine would have heard."""

    def __init__(self, store: LogStore) -> None:
        self.store = store
        self.sessions = {("n", "s")}
        self.ends: list[tuple[str, int]] = []
        self.commit: Callable[[], Awaitable[None]] = self._at_once
        self.client: TestClient[web.Request, web.Application]

    async def _at_once(self) -> None:
        return None

    async def on_end(self, uid: str, attempt: int, end: LogEnd) -> None:
        await self.commit()
        self.ends.append((uid, attempt))

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        return await serve_logs(
            request, self.store, lambda *pair: pair in self.sessions, self.on_end
        )

    async def connect(self, *messages: AnyLogFromAgent) -> ClientWebSocketResponse:
        socket = await self.client.ws_connect("/agent/v1/logs")
        await say(socket, HELLO, *messages)
        return socket


@pytest.fixture
async def controller(tmp_path: Path) -> AsyncIterator[Controller]:
    async with LogStore(tmp_path, 100) as store:
        controller = Controller(store)
        app = web.Application()
        app.router.add_get("/agent/v1/logs", controller.serve)
        async with TestClient(TestServer(app)) as client, asyncio.timeout(20):
            controller.client = client
            yield controller


async def say(socket: ClientWebSocketResponse, *messages: AnyLogFromAgent) -> None:
    for message in messages:
        await socket.send_bytes(LOG_FROM_AGENT.encode(message))


async def hear(socket: ClientWebSocketResponse) -> LogAck:
    return LOG_TO_AGENT.decode(await socket.receive_bytes())


async def closed_with(socket: ClientWebSocketResponse) -> int | None:
    while (await socket.receive()).type not in (WSMsgType.CLOSE, WSMsgType.CLOSED):
        pass
    return socket.close_code


def a_piece(offset: int, data: bytes, uid: str = UID, *, stderr: bool = False) -> LogPiece:
    return LogPiece(
        uid=uid, attempt=1, stream="stderr" if stderr else "stdout", offset=offset, data=data
    )


def an_ack(stdout: int, stderr: int = 0, uid: str = UID, *, ended: bool = False) -> LogAck:
    return LogAck(uid=uid, attempt=1, stdout=stdout, stderr=stderr, ended=ended)


def an_end(stdout: int, stderr: int = 0, uid: str = UID) -> LogEnd:
    return LogEnd(uid=uid, attempt=1, stdout_bytes=stdout, stderr_bytes=stderr)


async def test_pieces_are_stored_as_they_arrive_and_answered_once_an_attempt(
    controller: Controller,
) -> None:
    pieces = (
        a_piece(0, b"out1 "),
        a_piece(0, b"err1 ", stderr=True),
        a_piece(0, bytes(range(256)), OTHER),
        a_piece(5, b"out2"),
    )
    socket = await controller.connect(LogPieces(pieces=pieces))
    acks = [await hear(socket), await hear(socket)]
    both = await controller.store.read(UID, 1, "both", 0)
    other = await controller.store.read(OTHER, 1, "stdout", 0)

    assert acks == [an_ack(9, 5), an_ack(256, uid=OTHER)]
    assert (both.data, other.data) == (b"out1 err1 out2", bytes(range(256)))
    await socket.close()


async def test_the_time_of_a_piece_is_when_its_agent_read_it(controller: Controller) -> None:
    piece = msgspec.structs.replace(a_piece(0, b"abc"), at=1000.5)
    socket = await controller.connect(LogPieces(pieces=(piece,)))
    assert await hear(socket) == an_ack(3)

    assert (await controller.store.times(UID, 1, "stdout", 0, 3)).times == ((0, 1_000_500),)
    await socket.close()


async def test_an_agent_asks_where_to_go_on(controller: Controller) -> None:
    await controller.store.append(UID, 1, "stdout", 0, b"abc")
    socket = await controller.connect(LogAsk(uid=UID, attempt=1))

    assert await hear(socket) == an_ack(3)
    await socket.close()


async def test_after_a_hole_the_agent_is_told_where_to_go_on(controller: Controller) -> None:
    socket = await controller.connect(LogPieces(pieces=(a_piece(0, b"abc"), a_piece(9, b"x"))))
    assert await hear(socket) == an_ack(3)
    await say(socket, an_end(10))
    assert await hear(socket) == an_ack(3)
    await say(socket, LogPieces(pieces=(a_piece(3, b"defghij"),)), an_end(10))
    while not (ack := await hear(socket)).ended:
        pass

    assert ack == an_ack(10, ended=True)
    assert controller.ends == [(UID, 1)]
    await socket.close()


async def test_an_end_is_answered_only_after_it_is_committed(controller: Controller) -> None:
    committing, may_commit = asyncio.Event(), asyncio.Event()

    async def commit() -> None:
        committing.set()
        await may_commit.wait()

    controller.commit = commit
    socket = await controller.connect(LogPieces(pieces=(a_piece(0, b"abc"),)))
    await hear(socket)
    await say(socket, an_end(3))
    await committing.wait()
    second = await controller.connect(LogAsk(uid=UID, attempt=1))

    assert await hear(second) == an_ack(3, ended=False)
    may_commit.set()
    assert await hear(socket) == an_ack(3, ended=True)
    await socket.close()
    await second.close()


async def test_a_repeated_end_is_committed_and_answered_again(controller: Controller) -> None:
    socket = await controller.connect(an_end(0))
    assert await hear(socket) == an_ack(0, ended=True)
    await socket.close()
    socket = await controller.connect(an_end(0))
    assert await hear(socket) == an_ack(0, ended=True)
    await socket.close()

    assert controller.ends == [(UID, 1)] * 2


async def test_when_the_end_can_not_be_committed_the_agent_shall_come_again(
    controller: Controller,
) -> None:
    async def commit() -> None:
        raise StoreUnavailable("the disk is full")

    controller.commit = commit
    socket = await controller.connect(an_end(0))
    assert await hear(socket) == an_ack(0, ended=False)

    assert await closed_with(socket) == 1013


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\xc1 not msgpack",
        b"",
        LOG_FROM_AGENT.encode(LogAsk(uid="../../etc/passwd", attempt=1)),
        LOG_FROM_AGENT.encode(LogPieces(pieces=(a_piece(0, b"x", uid="nobody"),))),
        LOG_FROM_AGENT.encode(HELLO),
    ],
)
async def test_a_message_without_sense_closes_its_own_link_only(
    controller: Controller, nonsense: bytes
) -> None:
    good = await controller.connect()
    bad = await controller.connect()
    await bad.send_bytes(nonsense)

    assert await closed_with(bad) == 4400
    await say(good, LogPieces(pieces=(a_piece(0, b"abc"),)))
    assert await hear(good) == an_ack(3)
    await good.close()


async def test_what_came_before_a_message_without_sense_is_kept(controller: Controller) -> None:
    socket = await controller.connect(LogPieces(pieces=(a_piece(0, b"abc"),)))
    await socket.send_str("text")

    assert await closed_with(socket) == 4400
    assert controller.store.position(UID, 1).stdout == 3


async def test_the_first_message_has_to_be_the_hello(controller: Controller) -> None:
    socket = await controller.client.ws_connect("/agent/v1/logs")
    await say(socket, LogAsk(uid=UID, attempt=1))

    assert await closed_with(socket) == 4400


async def test_a_link_lives_no_longer_than_its_control_connection(controller: Controller) -> None:
    socket = await controller.connect(LogAsk(uid=UID, attempt=1))
    await hear(socket)
    controller.sessions.clear()
    await say(socket, LogPieces(pieces=(a_piece(0, b"abc"),)))

    assert await closed_with(socket) == 4401
    assert controller.store.position(UID, 1).stdout == 0


async def test_a_message_over_the_limit_ends_the_link(controller: Controller) -> None:
    socket = await controller.connect()
    await socket.send_bytes(b"x" * (MAX_MESSAGE_BYTES + 1))

    assert await closed_with(socket) == 1009


async def test_a_flood_arrives_whole_and_is_answered_in_batches(controller: Controller) -> None:
    size, step = 4 << 20, 128 * 1024
    socket = await controller.connect()
    for offset in range(0, size, step):
        await say(socket, LogPieces(pieces=(a_piece(offset, b"x" * step),)))
    acks = [await hear(socket)]
    while acks[-1].stdout < size:
        acks.append(await hear(socket))

    assert [ack.stdout for ack in acks] == sorted({ack.stdout for ack in acks})
    assert len(acks) <= size // step
    await socket.close()
