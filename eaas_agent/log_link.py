"""The log link: a second websocket, so that a flood of log never delays a fact or a beat."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import aiohttp

from eaas.errors import EaasError
from eaas.wire.codec import Unsupported
from eaas.wire.logs import LOG_FROM_AGENT, LOG_TO_AGENT, LogHello
from eaas_agent.cancelled import heed_cancellation
from eaas_agent.dial import Backoff, Dial
from eaas_agent.log_pump import LogPump

PATH: Final = "/agent/v1/logs"
HEARTBEAT_S: Final = 60.0
"""On a slow line a ping stands behind the log that was written before it. A line that is dead is
noticed on the control link, and with that this one ends."""
WRITE_TIMEOUT_S: Final = 60.0
"""Long enough for a full bundle on a slow line."""

log = logging.getLogger(__name__)


class LogLink:
    """Keeps a log link open for as long as a control connection lasts."""

    def __init__(
        self, dial: Dial, pump: LogPump, node_uid: str, *, backoff: Callable[[], Backoff]
    ) -> None:
        self._dial = dial
        self._pump = pump
        self._node_uid = node_uid
        self._backoff = backoff

    async def follow(self, session: str) -> None:
        """Connect for this session and come back after every cut, until cancelled."""
        loop = asyncio.get_running_loop()
        backoff = self._backoff()
        while True:
            began = loop.time()
            try:
                await self._connection(session)
            except* (EaasError, aiohttp.ClientError, OSError) as errors:
                log.debug("no log link: %s", errors.exceptions[0])
                heed_cancellation()
            await asyncio.sleep(backoff.next_s(loop.time() - began))

    async def _connection(self, session: str) -> None:
        async with self._dial.websocket(PATH, heartbeat_s=HEARTBEAT_S) as websocket:
            hello = LogHello(node_uid=self._node_uid, session=session)
            await _send(websocket, LOG_FROM_AGENT.encode(hello))
            self._pump.connected()
            try:
                async with asyncio.TaskGroup() as group:
                    writing = group.create_task(self._write(websocket))
                    await self._read(websocket)
                    writing.cancel()
            finally:
                self._pump.disconnected()

    async def _write(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            for message in await self._pump.next_messages():
                await _send(websocket, LOG_FROM_AGENT.encode(message))

    async def _read(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in websocket:
            if message.type is aiohttp.WSMsgType.BINARY:
                try:
                    self._pump.acked(LOG_TO_AGENT.decode(message.data))
                except Unsupported as error:
                    log.warning("the controller says something newer than this agent: %s", error)


async def _send(websocket: aiohttp.ClientWebSocketResponse, data: bytes) -> None:
    async with asyncio.timeout(WRITE_TIMEOUT_S):
        await websocket.send_bytes(data)
