"""``/metrics``: what Prometheus scrapes, a still picture that is written bit by bit."""

import asyncio
from typing import Final

from aiohttp import web

from eaas_daemon.api.parts import Parts
from eaas_daemon.core.still import still
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.scrape import format_for, pieces

METRICS: Final = "/metrics"


class MetricRoutes:
    """``/metrics``. Between two pieces everybody else has their turn."""

    def __init__(self, parts: Parts, version: str) -> None:
        self._parts = parts
        self._version = version
        self._turn = asyncio.Lock()
        """One scrape at a time: whoever scrapes without end holds up only other scrapes."""

    def routes(self) -> list[web.RouteDef]:
        """Return the route."""
        return [web.get(METRICS, self.scrape, allow_head=False)]

    async def scrape(self, request: web.Request) -> web.Response:
        """Show everything, in the text format or as OpenMetrics."""
        form = format_for(",".join(request.headers.getall("Accept", [])))
        parts: list[bytes] = []
        async with self._turn:
            await self._parts.engine.at_rest()
            for piece in pieces(self._moment(), self._parts.live.registry, form):
                parts.append(piece)
                await asyncio.sleep(0)
        return web.Response(body=b"".join(parts), headers={"Content-Type": form.content_type})

    def _moment(self) -> Moment:
        parts = self._parts
        return Moment(
            state=still(parts.engine.state),
            now=parts.clock.now(),
            version=self._version,
            database=parts.reader.path,
            subscribers=parts.hub.listening,
            agents=parts.roster.connected,
            log_stored_bytes=parts.logs.stored_bytes,
            log_budget_bytes=parts.logs.budget_bytes,
            folders=parts.intake.views(),
        )
