"""The controller's end of an agent's control link."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final
from uuid import uuid4

from aiohttp import WSMsgType, web

from eaas.errors import EaasError
from eaas.ids import NodeName
from eaas.wire import from_agent as wire
from eaas.wire.codec import MAX_MESSAGE_BYTES, BadMessage, Unsupported
from eaas.wire.from_agent import FROM_AGENT
from eaas.wire.to_agent import TO_AGENT, AnyToAgent, Refused
from eaas_daemon.agents.ending import (
    CUT,
    ENDS,
    UNREAD,
    Ending,
    ending_by_cancellation,
    ending_of,
)
from eaas_daemon.agents.roster import Roster
from eaas_daemon.core import events as e
from eaas_daemon.engine import Engine

log = logging.getLogger(__name__)

SpeaksFor = Callable[[str, str], bool]
"""(node, node_uid) -> whether who asks may speak for that node."""

HELLO_WITHIN_S: Final = 10.0
PING_S: Final = 10.0
"""Silence is noticed after one and a half of these."""
WRITE_WITHIN_S: Final = 10.0
CLOSE_BAD_MESSAGE: Final = 4400


class Link:
    """One live connection. Messages to the agent are queued and written in order."""

    def __init__(self, socket: web.WebSocketResponse, session: str, write_within_s: float) -> None:
        self.session = session
        self._write_within_s = write_within_s
        self._socket = socket
        self._outbox: deque[AnyToAgent] = deque()
        self._wake = asyncio.Event()
        self._closing: bool = False

    def send(self, message: AnyToAgent) -> None:
        """Queue the message; never waits."""
        self._outbox.append(message)
        self._wake.set()

    def close(self) -> None:
        """End the connection once what is queued has been written."""
        self._closing = True
        self._wake.set()

    async def write(self) -> None:
        """Write what is queued until closed; raise ``TimeoutError`` if the agent does not read."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outbox:
                data = TO_AGENT.encode(self._outbox.popleft())
                async with asyncio.timeout(self._write_within_s):
                    await self._socket.send_bytes(data)
            if self._closing:
                await self._socket.close()
                return


async def serve_link(
    request: web.Request,
    engine: Engine,
    roster: Roster,
    speaks_for: SpeaksFor,
    *,
    credential: str | None = None,
    greeted: Callable[[], None] = lambda: None,
    write_within_s: float = WRITE_WITHIN_S,
) -> web.WebSocketResponse:
    """Serve ``/agent/v1/link`` for as long as the connection lives.

    An agent that does not read for ``write_within_s`` is cut off, without a goodbye that would
    have to wait behind what it does not read. ``greeted`` is called once it is known whether the
    agent is welcome.
    """
    socket = web.WebSocketResponse(heartbeat=PING_S, max_msg_size=MAX_MESSAGE_BYTES, compress=False)
    await socket.prepare(request)
    link = Link(socket, session=uuid4().hex, write_within_s=write_within_s)
    hello = await _hello(socket)
    if hello is None:
        return socket
    if not speaks_for(hello.node, hello.node_uid):
        return await _refuse_other_node(socket, hello.node)
    roster.open(link)
    event = e.AgentSaidHello(
        session=link.session,
        address=request.remote or None,
        hello=hello,
        credential=credential,
        told_seq=roster.told_seq(hello.node_uid),
    )
    ending: Ending | None = None
    try:
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(link.write())
            is_welcome = await _is_welcome(engine, event, link)
            greeted()
            if is_welcome:
                ending = await _read(socket, engine, roster, link, NodeName(hello.node))
            link.close()
            await asyncio.wait({writer}, timeout=write_within_s)
            writer.cancel()
    except* (ConnectionError, TimeoutError) as errors:
        ending = UNREAD if errors.subgroup(TimeoutError) else CUT
        if request.transport is not None:
            request.transport.abort()
    finally:
        roster.closed(link)
        if ending is None:
            is_connected = request.transport is not None
            ending = ending_by_cancellation(socket, connected=is_connected)
        log.info("the link of %s ended: %s", hello.node, ending.why)
        engine.post(
            e.AgentGone(
                node=NodeName(hello.node), session=link.session, why=ending.why, by=ending.by
            )
        )
    return socket


async def _refuse_other_node(socket: web.WebSocketResponse, name: str) -> web.WebSocketResponse:
    text = f"its credential is another node's and not {name}'s; let it join again"
    await socket.send_bytes(TO_AGENT.encode(Refused(code="other_node", text=text)))
    await socket.close()
    return socket


async def _is_welcome(engine: Engine, event: e.AgentSaidHello, link: Link) -> bool:
    try:
        return bool(await engine.ask(event))
    except EaasError as error:  # the greeting could not be stored; the agent tries again
        link.send(Refused(code=error.code, text=str(error)))
        return False


async def _hello(socket: web.WebSocketResponse) -> wire.Hello | None:
    try:
        message = await socket.receive(timeout=HELLO_WITHIN_S)
        if message.type is WSMsgType.BINARY:
            said = FROM_AGENT.decode(message.data)
            if isinstance(said, wire.Hello):
                return said
    except (TimeoutError, BadMessage) as error:
        log.info("a connection did not say hello: %s", error)
    await socket.close(code=CLOSE_BAD_MESSAGE, message=b"say hello first")
    return None


async def _read(
    socket: web.WebSocketResponse, engine: Engine, roster: Roster, link: Link, node: NodeName
) -> Ending:
    """Take what the agent says until the connection ends; return how it did."""
    while True:
        message = await socket.receive()
        if message.type in ENDS:
            return ending_of(socket, message)
        if message.type is not WSMsgType.BINARY:
            continue
        try:
            said = FROM_AGENT.decode(message.data)
        except Unsupported as error:
            log.info("%s sent something newer than this controller: %s", node, error)
            continue
        except BadMessage as error:
            await socket.close(code=CLOSE_BAD_MESSAGE, message=str(error).encode()[:120])
            return Ending(f"the agent sent what makes no sense: {error}")
        if isinstance(said, wire.FilesFailed):
            roster.files_failed(said)
        elif (event := _event(said, node, link.session)) is not None:
            engine.post(event)


def _event(said: wire.AnyFromAgent, node: NodeName, session: str) -> e.Event | None:
    if isinstance(said, wire.Facts):
        return e.AgentSaidFacts(node=node, session=session, facts=said)
    if isinstance(said, wire.Beat):
        return e.AgentBeat(node=node, session=session, beat=said)
    if isinstance(said, wire.Progress):
        return e.AgentProgress(node=node, session=session, progress=said)
    if isinstance(said, wire.Unlisted):
        return e.AgentHolds(node=node, session=session, unlisted=said)
    if isinstance(said, wire.InventoryChanged):
        return e.AgentInventory(node=node, session=session, inventory=said.inventory)
    return None
