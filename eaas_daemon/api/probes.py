"""``/healthz`` and ``/readyz``: whether to leave the controller alone, and whether to ask it."""

from typing import Final

from aiohttp import web

from eaas_daemon.api.parts import answer
from eaas_daemon.api.traffic import STOPPING, Traffic
from eaas_daemon.engine import Engine

HEALTH: Final = "/healthz"
READY: Final = "/readyz"
PROBES: Final = frozenset((HEALTH, READY))
STUCK_AFTER_S: Final = 10.0
"""How long work may wait without one step before the engine counts as stuck."""


class ProbeRoutes:
    """Two questions that anybody may ask; the answer says why where it is no."""

    def __init__(self, engine: Engine, traffic: Traffic) -> None:
        self._engine = engine
        self._traffic = traffic

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [web.get(HEALTH, self.health), web.get(READY, self.ready)]

    async def health(self, request: web.Request) -> web.Response:
        """Say whether the loop turns, which this answer shows, and the engine makes steps."""
        return _said("ok", self._stuck())

    async def ready(self, request: web.Request) -> web.Response:
        """Say whether requests are taken and can be stored."""
        return _said("ready", self._not_ready())

    def _stuck(self) -> str | None:
        idle_s = self._engine.progress.idle_s()
        if idle_s < STUCK_AFTER_S:
            return None
        return f"nothing could be stored for {idle_s:.0f} s; is the disk stuck?"

    def _not_ready(self) -> str | None:
        if self._traffic.is_closing:
            return STOPPING
        if not self._engine.is_running:
            return "the controller is starting"
        return self._engine.store_fault or self._stuck()


def _said(well: str, reason: str | None) -> web.Response:
    if reason is None:
        return answer({"status": well, "reason": None})
    return answer({"status": f"not {well}", "reason": reason}, status=503)
