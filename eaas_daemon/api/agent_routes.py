"""Routes on which agents hold their links."""

from time import monotonic

from aiohttp import web

from eaas.wire.logs import LogEnd
from eaas_daemon.agents.handshakes import Handshakes
from eaas_daemon.agents.link import serve_link
from eaas_daemon.api.auth import for_agents
from eaas_daemon.api.parts import AGENT, Parts
from eaas_daemon.core.events import LogFinished
from eaas_daemon.logs.link import serve_logs


class AgentRoutes:
    """``/agent/v1/link`` and ``/agent/v1/logs``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._handshakes = Handshakes(monotonic)

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get("/agent/v1/link", for_agents(self.link), allow_head=False),
            web.get("/agent/v1/logs", for_agents(self.logs), allow_head=False),
        ]

    async def link(self, request: web.Request) -> web.StreamResponse:
        """Hold an agent's control link."""
        parts, came = self._parts, request[AGENT]
        with parts.long_calls.noted(), self._handshakes.one(came.node) as handshake:
            return await serve_link(
                request,
                parts.engine,
                parts.roster,
                came.speaks_for,
                credential=came.credential,
                greeted=handshake.over,
            )

    async def logs(self, request: web.Request) -> web.StreamResponse:
        """Hold an agent's log link."""
        parts, node_uid = self._parts, request[AGENT].node_uid

        def is_known(uid: str, session: str) -> bool:
            return node_uid in (None, uid) and parts.roster.is_session(uid, session)

        with parts.long_calls.noted():
            return await serve_logs(request, parts.logs, is_known, self._ended)

    async def _ended(self, uid: str, attempt: int, end: LogEnd) -> None:
        await self._parts.engine.ask(LogFinished(end=end))
