import asyncio
import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from eaas.ids import NodeName
from eaas.job_spec import read_spec
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas.wire.codec import MAX_MESSAGE_BYTES
from eaas.wire.from_agent import FROM_AGENT, AnyFromAgent
from eaas.wire.to_agent import TO_AGENT, Ack, AnyToAgent, Refused, Wanted, Welcome
from eaas_daemon.agents import link
from eaas_daemon.agents.ending import CUT
from eaas_daemon.agents.link import CLOSE_BAD_MESSAGE, serve_link
from eaas_daemon.agents.roster import FilesRefused, Roster
from eaas_daemon.clock import SystemClock
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.link_history import LinkEnd
from eaas_daemon.core.model import Job
from eaas_daemon.engine import Engine
from eaas_daemon.revive import revive
from eaas_daemon.store.database import Database
from eaas_daemon.store.readers import Reader
from tests.rig.builders import ADMIN, ALICE, a_card, a_hello, an_inventory
from tests.rig.listener import Listener

N1 = NodeName("n1")
SOON_S = 20.0


class Agent:
    """The other end: speaks the real codec over a real socket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def say(self, message: AnyFromAgent) -> None:
        await self.socket.send_bytes(FROM_AGENT.encode(message))

    async def hear(self) -> AnyToAgent:
        return TO_AGENT.decode(await self.socket.receive_bytes(timeout=SOON_S))

    @property
    def transport(self) -> asyncio.WriteTransport:
        connection = self.socket._response.connection
        assert connection is not None
        assert connection.transport is not None
        return connection.transport

    def narrow(self) -> None:
        """Let little be on its way to this end before the other has to wait."""
        ours = self.transport.get_extra_info("socket")
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    async def closed_with(self) -> int | None:
        """Wait for the end of the connection and return its code."""
        async with asyncio.timeout(SOON_S):
            while not self.socket.closed:
                await self.socket.receive()
        return self.socket.close_code


class Daemon:
    """A real engine, database and websocket server, with only agents before it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "controller.db"
        self.stack = AsyncExitStack()
        self.steps: asyncio.Queue[Changes] = asyncio.Queue()
        self.agents: list[Agent] = []

    async def start(self) -> None:
        database = await self.stack.enter_async_context(Database(self.path, busy_timeout_s=0.01))
        reader = await self.stack.enter_async_context(Reader(self.path))
        state = revive(await database.load(), reader)
        clock = SystemClock()
        self.engine = Engine(state, database, clock, lambda uid, attempt: (0, 0))
        self.roster = Roster(state, clock.now)
        self.engine.listen(self.roster)
        self.engine.listen(Listener(lambda changes, effects: self.steps.put_nowait(changes)))
        self.running = asyncio.create_task(self.engine.run())
        app = web.Application()
        app.router.add_get("/agent/v1/link", self.serve)
        self.server = TestServer(app)
        await self.server.start_server()
        self.client = await self.stack.enter_async_context(aiohttp.ClientSession())

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        def anybody(node: str, node_uid: str) -> bool:
            return node != "somebody-elses"

        return await serve_link(request, self.engine, self.roster, anybody, write_within_s=0.2)

    async def stop(self) -> None:
        for agent in self.agents:
            await agent.socket.close()
        await self.client.close()
        await self.server.close()
        self.running.cancel()
        with suppress(asyncio.CancelledError):
            await self.running
        await self.stack.aclose()

    async def connect(self) -> Agent:
        url = self.server.make_url("/agent/v1/link")
        agent = Agent(await self.client.ws_connect(url))
        self.agents.append(agent)
        return agent

    async def welcomed(self, **but: Any) -> Agent:
        """Return an agent that has said hello and heard the answer."""
        agent = await self.connect()
        await agent.say(a_hello("n1", an_inventory(a_card(0)), **but))
        assert isinstance(await agent.hear(), Welcome)
        assert isinstance(await agent.hear(), Wanted)
        return agent

    async def placed(self, **fields: Any) -> Job:
        """Submit a job to a pool of n1."""
        if not self.engine.state.pools:
            await self.engine.ask(e.CreatePool(caller=ADMIN, name="default"))
            await self.engine.ask(e.AddToPool(caller=ADMIN, pool="default", node="n1", cards=None))
        spec = read_spec({"image": "busybox", **fields})
        (job,) = await self.engine.ask(e.Submit(caller=ALICE, specs=(spec,)))
        assert isinstance(job, Job)
        return job

    async def until_gone(self) -> None:
        """Wait until n1 is no longer connected."""
        async with asyncio.timeout(SOON_S):
            while self.engine.state.nodes[N1].session is not None:
                await self.steps.get()

    async def last_end(self) -> LinkEnd:
        """Wait until n1 is no longer connected and return how that came."""
        await self.until_gone()
        end = self.engine.state.nodes[N1].link.last_end
        assert end is not None
        return end


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Daemon]:
    daemon = Daemon(tmp_path)
    await daemon.start()
    try:
        yield daemon
    finally:
        await daemon.stop()


async def test_a_hello_is_answered_with_a_welcome_and_the_full_list(daemon: Daemon) -> None:
    agent = await daemon.connect()

    await agent.say(a_hello("n1", an_inventory(a_card(0))))

    welcome = await agent.hear()
    assert isinstance(welcome, Welcome)
    assert welcome.session == daemon.engine.state.nodes[N1].session
    assert (welcome.life, welcome.life_seq) == (daemon.engine.state.life, daemon.engine.state.seq)
    full = Wanted(full=True, orders=(), life_seq=welcome.life_seq)
    assert await agent.hear() == full
    assert daemon.engine.state.nodes[N1].address == "127.0.0.1"


async def test_a_job_travels_to_its_agent_and_its_end_comes_back(daemon: Daemon) -> None:
    agent = await daemon.welcomed()
    job = await daemon.placed(gpus=1)
    wanted = await agent.hear()
    assert isinstance(wanted, Wanted)
    assert [(order.uid, order.attempt) for order in wanted.orders] == [(job.uid, 1)]

    ended = wire.AttemptEnded(
        uid=job.uid, attempt=1, cause="exited", exit_code=0, started_at=1.0, finished_at=2.0
    )
    await agent.say(wire.Facts(spool_id="spool-n1", facts=(wire.Spooled(1, ended),)))

    assert await agent.hear() == Ack(spool_id="spool-n1", seq=1)
    over = Wanted(
        full=False,
        orders=(),
        dropped=((job.uid, 1),),
        job_ended=(job.uid,),
        life_seq=daemon.engine.state.seq,
    )
    assert await agent.hear() == over
    stored = daemon.engine.state.job_by_number(job.number)
    assert stored is not None
    assert stored.state is JobState.SUCCEEDED


async def test_facts_said_again_after_a_reconnect_are_acknowledged_and_count_once(
    daemon: Daemon,
) -> None:
    agent = await daemon.welcomed()
    job = await daemon.placed()
    await agent.hear()
    running = wire.AttemptRunning(uid=job.uid, attempt=1, started_at=1.0, handle="c")
    facts = wire.Facts(spool_id="spool-n1", facts=(wire.Spooled(1, running),))
    await agent.say(facts)
    await agent.hear()
    await agent.socket.close()

    again = await daemon.connect()
    await again.say(a_hello("n1", an_inventory(a_card(0))))
    welcome, wanted = await again.hear(), await again.hear()
    await again.say(facts)

    assert isinstance(welcome, Welcome)
    assert welcome.acked_seq == 1
    assert isinstance(wanted, Wanted)
    assert [order.known for order in wanted.orders] == [True]
    assert await again.hear() == Ack(spool_id="spool-n1", seq=1)


async def test_a_twin_is_refused_and_the_first_one_stays(daemon: Daemon) -> None:
    agent = await daemon.welcomed()
    job = await daemon.placed()
    await agent.hear()
    twin = await daemon.connect()

    await twin.say(a_hello("n1", an_inventory(a_card(0)), instance="clone"))

    refused = await twin.hear()
    assert isinstance(refused, Refused)
    assert refused.code == "twin"
    await twin.closed_with()
    await daemon.engine.ask(e.Cancel(caller=ALICE, number=job.number))
    assert isinstance(await agent.hear(), Wanted)


async def test_a_connection_that_is_cut_begins_the_silence(daemon: Daemon) -> None:
    agent = await daemon.welcomed()

    agent.transport.abort()

    end = await daemon.last_end()
    assert (end.why, end.by) == (CUT.why, "nobody")


async def test_an_agent_that_answers_no_ping_is_cut(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "PING_S", 0.02)
    agent = await daemon.welcomed()
    assert not agent.socket.closed  # nothing reads, so nothing answers, from here on

    assert (await daemon.last_end()).why.startswith("ping timeout")


async def test_who_speaks_for_another_node_than_its_own_is_refused(daemon: Daemon) -> None:
    agent = await daemon.connect()

    await agent.say(a_hello("somebody-elses", an_inventory()))

    refused = await agent.hear()
    assert isinstance(refused, Refused)
    assert (refused.code, refused.text) == (
        "other_node",
        "its credential is another node's and not somebody-elses's; let it join again",
    )
    await agent.closed_with()
    assert daemon.engine.state.nodes == {}


async def test_an_agent_that_says_goodbye_was_stopped(daemon: Daemon) -> None:
    agent = await daemon.welcomed()

    await agent.socket.close(code=aiohttp.WSCloseCode.GOING_AWAY, message=b"stopping")

    end = await daemon.last_end()
    assert (end.why, end.by, end.address) == ("the agent was stopped", "agent", "127.0.0.1")


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81\xa4type\xa3abc"])
async def test_a_connection_that_does_not_say_hello_first_is_closed(
    daemon: Daemon, data: bytes
) -> None:
    agent = await daemon.connect()

    await agent.socket.send_bytes(data)

    assert await agent.closed_with() == CLOSE_BAD_MESSAGE


async def test_a_beat_is_no_greeting(daemon: Daemon) -> None:
    agent = await daemon.connect()

    await agent.say(wire.Beat(memory_used_mib=1, loop_lag_s=0.0, cards=(), sampled_at=None))

    assert await agent.closed_with() == CLOSE_BAD_MESSAGE
    assert daemon.engine.state.nodes == {}


async def test_a_message_that_does_not_decode_ends_the_connection(daemon: Daemon) -> None:
    agent = await daemon.welcomed()

    await agent.socket.send_bytes(b"\x81\xa4type\xa5facts")

    assert await agent.closed_with() == CLOSE_BAD_MESSAGE
    assert (await daemon.last_end()).why.startswith("the agent sent what makes no sense: ")


async def test_a_kind_of_message_from_the_future_is_passed_over(daemon: Daemon) -> None:
    agent = await daemon.welcomed()

    await agent.socket.send_bytes(b"\x81\xa4type\xa6future")
    await agent.socket.send_str("not for us")

    await daemon.placed()
    assert isinstance(await agent.hear(), Wanted)


async def test_a_message_over_the_limit_ends_the_connection(daemon: Daemon) -> None:
    agent = await daemon.welcomed()

    await agent.socket.send_bytes(bytes(MAX_MESSAGE_BYTES + 1))

    assert await agent.closed_with() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    assert (await daemon.last_end()).why.startswith("the agent sent what makes no sense: ")


async def test_an_agent_that_stops_reading_is_cut(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "PING_S", 600.0)  # the write is what is to fail
    agent = await daemon.welcomed()
    agent.narrow()
    assert not agent.socket.closed  # nothing reads from here on

    said = 0
    async with asyncio.timeout(SOON_S):
        while daemon.engine.state.nodes[N1].session is not None:  # until the buffers are full
            job = await daemon.placed(env={"A": "x" * 60_000})
            await daemon.engine.ask(e.Cancel(caller=ALICE, number=job.number))
            said += 1

    assert said > 1
    assert (await daemon.last_end()).why.startswith("write timeout")


async def test_an_agent_whose_greeting_can_not_be_stored_is_told_to_come_again(
    daemon: Daemon,
) -> None:
    other = sqlite3.connect(daemon.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    agent = await daemon.connect()
    await agent.say(a_hello("n1", an_inventory(a_card(0))))

    refused = await agent.hear()
    other.close()

    assert isinstance(refused, Refused)
    assert refused.code == "store_unavailable"
    await agent.closed_with()
    await daemon.welcomed()


async def test_files_that_an_agent_can_not_send_reach_the_one_who_asked(daemon: Daemon) -> None:
    agent = await daemon.welcomed()
    request, refusal = daemon.roster.ask_for_files(N1, "uid", "x")
    await agent.hear()

    await agent.say(wire.FilesFailed(request=request, text="there is no x"))

    with pytest.raises(FilesRefused, match="there is no x"):
        await asyncio.wait_for(refusal, SOON_S)


async def test_readings_progress_and_inventories_arrive(daemon: Daemon) -> None:
    agent = await daemon.welcomed()
    job = await daemon.placed()
    await agent.hear()
    beat = wire.Beat(memory_used_mib=77, loop_lag_s=0.0, cards=(a_card(0),), sampled_at=1.0)
    await agent.say(beat)
    await agent.say(wire.Progress(uid=job.uid, attempt=1, name="pulling", done_bytes=3))
    inventory = an_inventory(a_card(0), cpus=3)
    await agent.say(wire.InventoryChanged(inventory=inventory))

    async with asyncio.timeout(SOON_S):
        while daemon.engine.state.nodes[N1].inventory != inventory:
            await daemon.steps.get()

    assert daemon.engine.state.nodes[N1].memory_used_mib == 77
    assert daemon.engine.state.phases[job.uid].done_bytes == 3
