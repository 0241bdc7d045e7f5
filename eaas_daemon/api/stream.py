"""The stream's websocket, ``/api/v1/stream``."""

import asyncio
from typing import Final

from aiohttp import WSMsgType, web

from eaas_daemon.api.bodies import query_int
from eaas_daemon.api.guests import EXPELLED, NOT_WELCOME
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.parts import caller_of
from eaas_daemon.api.subscriber import Subscriber

HEARTBEAT_S: Final = 20.0
MAX_FROM_CLIENT_BYTES: Final = 4096
"""A client has nothing to say here."""
CLOSE_WITHIN_S: Final = 0.5
"""How long a client has to answer that the stream is closed."""
GOING_AWAY: Final = 1001
TRY_AGAIN_LATER: Final = 1013


class StreamRoutes:
    """Frames out, nothing in."""

    def __init__(self, hub: Hub, long_calls: LongCalls) -> None:
        self._hub = hub
        self._long_calls = long_calls

    def routes(self) -> list[web.RouteDef]:
        """Return the route."""
        return [web.get("/api/v1/stream", self.follow, allow_head=False)]

    async def follow(self, request: web.Request) -> web.WebSocketResponse:
        """Send frames until the client goes or the controller stops."""
        caller = caller_of(request)
        after = query_int(request, "after", 0) if "after" in request.query else None
        pieces = query_int(request, "pieces", 0)
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S,
            max_msg_size=MAX_FROM_CLIENT_BYTES,
            compress=False,
            timeout=CLOSE_WITHIN_S,
        )
        viewer = None if caller.admin else caller.user
        subscriber = self._hub.join(viewer, after, pieces=pieces)
        try:
            with self._long_calls.noted():
                await socket.prepare(request)
                await self._serve(socket, subscriber)
        except asyncio.CancelledError:
            if request.get(EXPELLED):
                await socket.close(code=NOT_WELCOME, message=b"the token has ended")
            else:
                await socket.close(code=GOING_AWAY, message=b"the controller is stopping")
            raise
        finally:
            self._hub.leave(subscriber)
        return socket

    async def _serve(self, socket: web.WebSocketResponse, subscriber: Subscriber) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                writer = tasks.create_task(self._write(socket, subscriber))
                async for message in socket:
                    if message.type is WSMsgType.ERROR:
                        break
                writer.cancel()
        except* ConnectionError:
            pass  # the client is gone, which is how most streams end

    async def _write(self, socket: web.WebSocketResponse, subscriber: Subscriber) -> None:
        while not subscriber.ended:
            await subscriber.wait()
            while (frame := subscriber.take()) is not None:
                await socket.send_frame(frame, WSMsgType.TEXT)
            if subscriber.fell_behind:
                subscriber.fell_behind = False
                self._hub.send_snapshot_soon()
        await socket.close(code=TRY_AGAIN_LATER)
