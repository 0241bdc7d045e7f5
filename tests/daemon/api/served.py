"""A controller without its agents: real store, engine and server, callers named by a header."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from aiohttp import ClientWSTimeout, web
from aiohttp.typedefs import Handler, Middleware

from eaas.client.address import Address
from eaas.errors import Forbidden, Unauthenticated
from eaas.ids import JobUid, NodeName, UserName
from eaas.tokens import Token, TokenKind, new_token
from eaas.wire import from_agent as wire
from eaas_daemon.agents.roster import Roster
from eaas_daemon.api.bell import JobBell
from eaas_daemon.api.file_exchange import FileExchange
from eaas_daemon.api.guests import Guests
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.packs import PackStore
from eaas_daemon.api.parts import AgentPass, Parts, Where
from eaas_daemon.api.server import Served, application, make_app, serve
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from eaas_daemon.engine import Engine
from eaas_daemon.intake.intake import Intake
from eaas_daemon.logs.store import LogStore
from eaas_daemon.metrics.job_counts import JobCounts
from eaas_daemon.metrics.live import Live
from eaas_daemon.revive import revive
from eaas_daemon.samples.files import RunFiles
from eaas_daemon.samples.sampler import Sampler
from eaas_daemon.store.database import Database
from eaas_daemon.store.readers import Reader
from eaas_daemon.trust.authority import authority_in
from eaas_daemon.trust.tls import ServerTls
from tests.rig.builders import ADMIN, a_hello, an_inventory

USER_HEADER = "X-Test-User"
ADMINS = Token(ca="a" * 52, id="uadmins22", secret="t" * 32)
TOKEN = str(ADMINS)
"""A token that lets an admin in, wherever a controller is served by its real door."""
Answer = tuple[int, Any]
OnAnswer = Callable[[web.Request, web.StreamResponse], web.StreamResponse]


class FixedClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.at = 1000.0

    def now(self) -> float:
        return self.at


class BelievingDoor:
    """Believes the header: ``root`` is an admin, everybody else a member."""

    def caller(self, request: web.Request) -> e.Caller:
        """Return who asks."""
        user = request.headers.get(USER_HEADER)
        if user is None:
            raise Unauthenticated("say who you are")
        return e.Caller(user=UserName(user), role="admin" if user == "root" else "member")

    def agent(self, request: web.Request) -> AgentPass:
        """Let admins speak for every node."""
        if not self.caller(request).admin:
            raise Forbidden("only an agent may do this")
        return AgentPass(role="node")


class House:
    """Everything behind the server, and ways to let things happen there."""

    def __init__(self, parts: Parts, clock: FixedClock, socket: Path) -> None:
        self.parts, self.clock, self.socket = parts, clock, socket
        self.engine, self.state = parts.engine, parts.engine.state
        self.app: web.Application
        self.served: Served
        self.address = Address(socket=socket)
        self.http = aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(socket)))
        self._facts = 0

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        user: str | None = "ann",
        **headers: str,
    ) -> Answer:
        """Return the status and the decoded answer."""
        async with self.open(method, path, body, user=user, **headers) as response:
            content = await response.read()
            is_json = "json" in response.content_type
            return response.status, msgspec.json.decode(content) if is_json and content else content

    def open(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        user: str | None = "ann",
        **headers: str,
    ) -> Any:
        """Ask, as a context manager of the response."""
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        if user is not None:
            sent[USER_HEADER] = user
        data: Any = body
        if body is not None and not isinstance(body, bytes | AsyncIterator):
            data = msgspec.json.encode(body)
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        return self.http.request(method, f"http://controller{path}", data=data, headers=sent)

    async def stream(
        self, query: str = "", *, user: str = "ann"
    ) -> aiohttp.ClientWebSocketResponse:
        """Open the stream."""
        url = f"http://controller/api/v1/stream{query}"
        return await self.http.ws_connect(
            url, headers={USER_HEADER: user}, max_msg_size=0, timeout=ClientWSTimeout(ws_close=1.0)
        )

    async def tick(self, seconds: float = 0.0) -> None:
        """Let time pass, all at once."""
        self.clock.at += seconds
        await self.engine.ask(e.Tick())

    async def node(self, name: str, *cards: wire.CardReport, **inventory: Any) -> None:
        """Let a node join."""
        hello = a_hello(name, an_inventory(*cards, **inventory))
        await self.engine.ask(e.AgentSaidHello(session=f"s-{name}", address=None, hello=hello))

    async def pool(self, name: str = "default", *nodes: str) -> None:
        """Make a pool with these nodes in it."""
        await self.engine.ask(e.CreatePool(caller=ADMIN, name=name))
        for node in nodes:
            event = e.AddToPool(caller=ADMIN, pool=name, node=node, cards=None)
            await self.engine.ask(event)

    async def submit(self, user: str = "ann", **fields: Any) -> int:
        """Submit one job and return its number."""
        job = {"image": "busybox", "command": "true", **fields}
        status, view = await self.ask("POST", "/api/v1/jobs?force=1", job, user=user)
        assert status == 201, view
        return int(view["id"])

    def job(self, number: int) -> Job:
        """Return the job, ended or not."""
        job = self.state.job_by_number(number)
        assert job is not None
        return job

    async def fact(self, node: str, fact: wire.Fact) -> None:
        """Let the node's agent send one fact."""
        self._facts += 1
        facts = wire.Facts(spool_id=f"spool-{node}", facts=(wire.Spooled(self._facts, fact),))
        await self.engine.ask(
            e.AgentSaidFacts(node=NodeName(node), session=f"s-{node}", facts=facts)
        )

    async def runs(self, number: int) -> None:
        """Let the job's attempt start."""
        job = self.job(number)
        attempt = job.attempts[-1]
        fact = wire.AttemptRunning(
            uid=job.uid, attempt=attempt.number, started_at=self.clock.at, handle="c1"
        )
        await self.fact(attempt.node, fact)

    async def ends(self, number: int, exit_code: int = 0, **but: Any) -> None:
        """Let the job's attempt end."""
        job = self.job(number)
        attempt = job.attempts[-1]
        fact = wire.AttemptEnded(
            uid=job.uid,
            attempt=attempt.number,
            cause="exited",
            exit_code=exit_code,
            finished_at=self.clock.at,
        )
        await self.fact(attempt.node, msgspec.structs.replace(fact, **but))

    async def let_in(self, token: Token, **but: Any) -> None:
        """Let a token be known."""
        fields = {
            "caller": ADMIN,
            "role": "member",
            "user": None,
            "expires_at": None,
            "uses": None,
            **but,
        }
        await self.engine.ask(e.CreateToken(id=token.id, secret_hash=token.secret_hash, **fields))

    async def token(self, kind: TokenKind = "person", **but: Any) -> Token:
        """Make a token under this controller's authority, and let it be known."""
        token = new_token(kind, self.parts.authority.fingerprint)
        await self.let_in(token, **{"role": "agent" if kind == "join" else "member", **but})
        return token

    async def beat(self, name: str, *cards: wire.CardReport) -> None:
        """Let the node send readings."""
        beat = wire.Beat(memory_used_mib=7, loop_lag_s=0.0, cards=cards, sampled_at=self.clock.at)
        await self.engine.ask(e.AgentBeat(node=NodeName(name), session=f"s-{name}", beat=beat))


@asynccontextmanager
async def a_house(home: Path) -> AsyncIterator[House]:
    """Serve a house until the test is over."""
    async with AsyncExitStack() as stack:
        house = await _built(home, stack)
        await stack.enter_async_context(house.http)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        working = tasks.create_task(house.engine.run())
        house.app = application(house.parts, BelievingDoor())
        house.served = await serve(house.app, socket_path=house.socket, host="127.0.0.1", port=0)
        try:
            yield house
        finally:
            await house.http.close()
            await house.served.close()
            working.cancel()


async def _built(home: Path, stack: AsyncExitStack) -> House:
    clock = FixedClock()
    database = await stack.enter_async_context(Database(home / "controller.db"))
    reader = await stack.enter_async_context(Reader(home / "controller.db"))
    state = revive(await database.load(), reader)
    logs = await stack.enter_async_context(LogStore(home / "job-logs", 100, clock=clock.now))

    def log_size(uid: JobUid, attempt: int) -> tuple[int, int]:
        stdout, stderr, _ = logs.position(uid, attempt)
        return stdout, stderr

    engine = Engine(state, database, clock, log_size)
    roster = Roster(state, clock.now)
    hub = Hub(engine, clock)
    engine.listen(roster)
    engine.listen(hub)
    sampler = Sampler(state, clock, RunFiles(home / "job-samples"))
    engine.listen(sampler)
    live = Live()
    engine.measure(live.engine)
    engine.listen(JobCounts(state, live.jobs))
    parts = Parts(
        engine=engine,
        roster=roster,
        reader=reader,
        logs=logs,
        packs=PackStore(home / "packs"),
        hub=hub,
        sampler=sampler,
        intake=Intake(engine, logs, os.geteuid(), clock, name=str(home)),
        live=live,
        bell=JobBell(),
        files=FileExchange(roster),
        long_calls=LongCalls(),
        guests=Guests(),
        authority=authority_in(home / "trust", time.time()),  # TLS goes by the real time
        where=Where(),
        home=home,
        clock=clock,
        started_at=clock.now(),
    )
    return House(parts, clock, home / "controller.sock")


@asynccontextmanager
async def a_controller(
    house: House,
    *,
    service_uid: int | None = None,
    tls: bool = False,
    on_answer: OnAnswer | None = None,
) -> AsyncIterator[Served]:
    """Serve the house once more, through the real door; ``on_answer`` may change what goes out."""
    parts = house.parts
    if ADMINS.id not in house.state.credentials:
        await house.let_in(ADMINS, role="admin")
    app = make_app(
        engine=parts.engine,
        roster=parts.roster,
        reader=parts.reader,
        logs=parts.logs,
        packs=parts.packs,
        hub=parts.hub,
        sampler=parts.sampler,
        intake=parts.intake,
        live=parts.live,
        home=parts.home,
        authority=parts.authority,
        members="everybody",
        service_uid=os.geteuid() if service_uid is None else service_uid,
        clock=parts.clock,
        started_at=0.0,
    )
    path = parts.home / "real.sock"
    if on_answer is not None:
        app.middlewares.insert(0, _changing(on_answer))
    context = ServerTls(parts.authority, ("127.0.0.1",), time.time).context if tls else None
    served = await serve(app, socket_path=path, host="127.0.0.1", port=0, tls=context)
    try:
        yield served
    finally:
        await served.close()
    assert not path.exists()


def _changing(on_answer: OnAnswer) -> Middleware:
    @web.middleware
    async def through(request: web.Request, handler: Handler) -> web.StreamResponse:
        return on_answer(request, await handler(request))

    return through


@asynccontextmanager
async def real_door(house: House) -> AsyncIterator[Address]:
    """Serve the house once more and give the address for clients."""
    async with a_controller(house):
        yield Address(socket=house.parts.home / "real.sock")
