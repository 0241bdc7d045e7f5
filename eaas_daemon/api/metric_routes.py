"""``/metrics``: what Prometheus scrapes. A scrape takes a still picture and writes it elsewhere."""

import asyncio
from typing import Final

from aiohttp import web

from eaas_daemon.api.parts import Parts
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.scrape import write

METRICS: Final = "/metrics"


class MetricRoutes:
    """``/metrics``. Only the picture is taken in the loop; a thread writes it down."""

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
        accept = ",".join(request.headers.getall("Accept", []))
        async with self._turn:
            await self._parts.engine.at_rest()
            moment = self._moment()
            written = await asyncio.to_thread(write, moment, self._parts.live.registry, accept)
        return web.Response(body=written.body, headers={"Content-Type": written.content_type})

    def _moment(self) -> Moment:
        parts = self._parts
        return Moment(
            state=parts.engine.state.still(),
            now=parts.clock.now(),
            version=self._version,
            database=parts.reader.path,
            subscribers=parts.hub.listening,
            agents=parts.roster.connected,
            log_stored_bytes=parts.logs.stored_bytes,
            log_budget_bytes=parts.logs.budget_bytes,
            folders=parts.intake.views(),
        )
