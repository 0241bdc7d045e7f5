"""A controller that does what a test says: the real wire over a real unix socket, no scheduler."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from aiohttp import WSMsgType, web

from eaas.ids import new_uid
from eaas.wire.codec import MAX_MESSAGE_BYTES
from eaas.wire.from_agent import (
    FROM_AGENT,
    AnyFromAgent,
    AttemptEnded,
    AttemptRunning,
    Fact,
    Facts,
    Hello,
    Spooled,
)
from eaas.wire.logs import (
    LOG_FROM_AGENT,
    LOG_TO_AGENT,
    LogAck,
    LogAsk,
    LogEnd,
    LogHello,
    LogPieces,
)
from eaas.wire.to_agent import TO_AGENT, Ack, AnyToAgent, Order, Refused, Wanted, Welcome

PATIENCE_S: Final = 10.0


class StoredLog:
    """What arrived of one attempt's log; refuses gaps and overlaps."""

    def __init__(self) -> None:
        self.streams: dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self.end: LogEnd | None = None

    def ack(self, uid: str, attempt: int) -> LogAck:
        return LogAck(
            uid=uid,
            attempt=attempt,
            stdout=len(self.streams["stdout"]),
            stderr=len(self.streams["stderr"]),
            ended=self.end is not None,
        )


_NO_LOG: Final = StoredLog()


class ScriptedController:
    """Keeps what agents say, and says what it is told to."""

    def __init__(self) -> None:
        self.epoch = 1
        self.life = ""
        self.past_seq: int | None = None
        """How far it says that it knows whatever an agent obeyed before."""
        self.acks = True
        self.log_acks = True
        self.refusal: Refused | None = None
        self.greets = True
        self.busy_s: list[float] = []
        """The next ones who come are asked to come again after so long."""
        self.hellos: list[Hello] = []
        self.closed_with: list[int | None] = []
        """The codes with which control links ended."""
        self.facts: dict[int, Fact] = {}
        self.heard: list[AnyFromAgent] = []
        self.resent = 0
        """Facts that had been committed already when they came."""
        self.orders: dict[tuple[str, int], Order] = {}
        self.logs: dict[tuple[str, int], StoredLog] = {}
        self.log_asks: list[LogAsk] = []
        self.log_messages = 0
        self.packs: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self._links: set[web.WebSocketResponse] = set()
        self._log_links: set[web.WebSocketResponse] = set()
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None

    async def open(self, socket: Path) -> None:
        app = web.Application()
        app.router.add_get("/agent/v1/link", self._link)
        app.router.add_get("/agent/v1/logs", self._log_link)
        app.router.add_get("/agent/v1/packs/{hash}", self._pack)
        app.router.add_post("/agent/v1/files/{request}", self._files)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.UnixSite(self._runner, str(socket)).start()

    async def close(self) -> None:
        await self.cut()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def cut(self) -> None:
        """Break every connection."""
        for link in (*self._links, *self._log_links):
            await link.close()

    async def cut_logs(self) -> None:
        """Break the log links only."""
        for link in tuple(self._log_links):
            await link.close()

    async def send(self, message: AnyToAgent) -> None:
        for link in tuple(self._links):
            await link.send_bytes(TO_AGENT.encode(message))

    async def want(self, *orders: Order) -> None:
        """Ask for these attempts beside those that are wanted already."""
        self.orders |= {(order.uid, order.attempt): order for order in orders}
        await self.send(Wanted(full=False, orders=orders))

    async def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        """Wait until something said by an agent makes this true."""
        async with asyncio.timeout(within_s), self._changed:
            await self._changed.wait_for(holds)

    async def running(self, uid: str, attempt: int = 1) -> AttemptRunning:
        """Wait for the fact that the attempt runs."""
        await self.until(lambda: self._find(AttemptRunning, uid, attempt) is not None)
        fact = self._find(AttemptRunning, uid, attempt)
        assert isinstance(fact, AttemptRunning)
        return fact

    async def ended(self, uid: str, attempt: int = 1) -> AttemptEnded:
        """Wait for the fact that the attempt is over."""
        await self.until(lambda: self._find(AttemptEnded, uid, attempt) is not None)
        fact = self._find(AttemptEnded, uid, attempt)
        assert isinstance(fact, AttemptEnded)
        return fact

    async def log_complete(self, uid: str, attempt: int = 1) -> StoredLog:
        """Wait until nothing more will come of an attempt's log, and return it."""
        await self.until(lambda: self.logs.get((uid, attempt), _NO_LOG).end is not None)
        return self.logs[uid, attempt]

    def facts_about(self, uid: str) -> list[str]:
        """Return the names of the facts about a job, in order."""
        return [type(fact).__name__ for _, fact in sorted(self.facts.items()) if fact.uid == uid]

    def _find(self, kind: type[Fact], uid: str, attempt: int) -> Fact | None:
        for fact in self.facts.values():
            if isinstance(fact, kind) and fact.uid == uid:
                if isinstance(fact, AttemptRunning | AttemptEnded) and fact.attempt != attempt:
                    continue
                return fact
        return None

    async def _link(self, request: web.Request) -> web.StreamResponse:
        if self.busy_s:
            return web.Response(status=503, headers={"Retry-After": f"{self.busy_s.pop()}"})
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, compress=False)
        await socket.prepare(request)
        self._links.add(socket)
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    await self._hear(socket, FROM_AGENT.decode(message.data))
        finally:
            self._links.discard(socket)
        self.closed_with.append(socket.close_code)
        await self._notify()
        return socket

    async def _hear(self, socket: web.WebSocketResponse, said: AnyFromAgent) -> None:
        if isinstance(said, Hello):
            self.hellos.append(said)
            await self._greet(socket)
        elif isinstance(said, Facts):
            await self._commit(socket, said)
        self.heard.append(said)
        await self._notify()

    async def _greet(self, socket: web.WebSocketResponse) -> None:
        if self.refusal is not None:
            await socket.send_bytes(TO_AGENT.encode(self.refusal))
            await socket.close()
        elif self.greets:
            welcome = Welcome(
                protocol=1,
                session=new_uid(),
                epoch=self.epoch,
                life=self.life,
                past_seq=self.past_seq,
                acked_seq=max(self.facts, default=0),
                server_time=0.0,
            )
            await socket.send_bytes(TO_AGENT.encode(welcome))
            wanted = Wanted(full=True, orders=tuple(self.orders.values()))
            await socket.send_bytes(TO_AGENT.encode(wanted))

    async def _commit(self, socket: web.WebSocketResponse, said: Facts) -> None:
        if not self.acks:
            return
        for spooled in said.facts:
            self._take(spooled)
        seq = said.facts[-1].seq
        await socket.send_bytes(TO_AGENT.encode(Ack(spool_id=said.spool_id, seq=seq)))

    def _take(self, spooled: Spooled) -> None:
        if spooled.seq in self.facts:
            self.resent += 1
            assert self.facts[spooled.seq] == spooled.fact
        else:
            assert spooled.seq == max(self.facts, default=0) + 1, "facts come without gaps"
            self.facts[spooled.seq] = spooled.fact

    async def _log_link(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, compress=False)
        await socket.prepare(request)
        self._log_links.add(socket)
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    self.log_messages += 1
                    for ack in self._store(LOG_FROM_AGENT.decode(message.data)):
                        await socket.send_bytes(LOG_TO_AGENT.encode(ack))
                    await self._notify()
        finally:
            self._log_links.discard(socket)
        return socket

    def _store(self, said: LogHello | LogPieces | LogEnd | LogAsk) -> list[LogAck]:
        touched: dict[tuple[str, int], StoredLog] = {}
        if isinstance(said, LogPieces):
            for piece in said.pieces:
                key = piece.uid, piece.attempt
                stored = touched[key] = self.logs.setdefault(key, StoredLog())
                assert piece.offset == len(stored.streams[piece.stream]), "no gap, no overlap"
                stored.streams[piece.stream] += piece.data
        elif isinstance(said, LogEnd):
            stored = self.logs.setdefault((said.uid, said.attempt), StoredLog())
            assert said.stdout_bytes == len(stored.streams["stdout"])
            assert said.stderr_bytes == len(stored.streams["stderr"])
            stored.end = said
            touched[said.uid, said.attempt] = stored
        elif isinstance(said, LogAsk):
            self.log_asks.append(said)
            key = said.uid, said.attempt
            return [self.logs.setdefault(key, StoredLog()).ack(*key)]
        return [log.ack(*key) for key, log in touched.items()] if self.log_acks else []

    async def _pack(self, request: web.Request) -> web.Response:
        content = self.packs.get(request.match_info["hash"])
        return web.Response(status=404) if content is None else web.Response(body=content)

    async def _files(self, request: web.Request) -> web.Response:
        self.files[request.match_info["request"]] = await request.read()
        await self._notify()
        return web.Response()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def add_pack(self, content: bytes) -> str:
        """Offer a pack and return its name."""
        digest = hashlib.sha256(content).hexdigest()
        self.packs[digest] = content
        return f"sha256:{digest}"


@asynccontextmanager
async def scripted_controller(socket: Path) -> AsyncIterator[ScriptedController]:
    """Serve on the socket while the block runs."""
    controller = ScriptedController()
    await controller.open(socket)
    try:
        yield controller
    finally:
        await controller.close()
