"""Routes about the controller itself: status, journal, watched folders."""

from aiohttp import web

from eaas.lifecycle import JobState, NodeState
from eaas.units import utc_text
from eaas.views import Page, StatusView
from eaas_daemon.api.bodies import query_int
from eaas_daemon.api.event_views import event_view
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.core import mass_loss
from eaas_daemon.core.inventory_picture import card_view, node_state

MAX_EVENTS = 1000
DEFAULT_EVENTS = 100


class SystemRoutes:
    """``/api/v1/status``, ``/api/v1/events`` and ``/api/v1/folders``."""

    def __init__(self, parts: Parts, version: str) -> None:
        self._parts = parts
        self._version = version

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get("/api/v1/status", self.status, allow_head=False),
            web.get("/api/v1/events", self.events, allow_head=False),
            web.get("/api/v1/folders", self.folders, allow_head=False),
        ]

    async def folders(self, request: web.Request) -> web.Response:
        """Show the watched folders."""
        return answer(Page(list(self._parts.intake.views()), None))

    async def status(self, request: web.Request) -> web.Response:
        """Show the controller in one glance."""
        parts, caller = self._parts, caller_of(request)
        state = parts.engine.state
        nodes = state.nodes.values()
        cards = [card_view(state, node, card) for node in nodes for card in node.cards]
        view = StatusView(
            version=self._version,
            epoch=state.epoch,
            started_at=utc_text(parts.started_at),
            seq=state.seq,
            pools=len(state.pools),
            nodes=len(state.nodes),
            nodes_ready=sum(node_state(state, node) is NodeState.READY for node in nodes),
            cards_total=len(cards),
            cards_free=sum(card.offered for card in cards),
            waiting=sum(job.state is JobState.PENDING for job in state.jobs.values()),
            running=state.held.jobs(),
            home=str(parts.home),
            address=parts.where.address,
            user=caller.user,
            role=caller.role,
            folders=parts.intake.counts(),
            conditions=() if state.mass_loss is None else (mass_loss.condition(state.mass_loss),),
        )
        return answer(view)

    async def events(self, request: web.Request) -> web.Response:
        """Show lines of the journal: those after a number, or the newest."""
        limit = min(MAX_EVENTS, query_int(request, "limit", DEFAULT_EVENTS, least=1))
        job = query_int(request, "job", 0, least=1) if "job" in request.query else None
        reader = self._parts.reader
        if "after" in request.query or job is not None:
            after = query_int(request, "after", 0)
            rows = await reader.events(after=after, limit=limit, job=job)
        else:
            rows = await reader.newest(limit)
        goes_on = "after" in request.query and len(rows) == limit
        cursor = str(rows[-1].seq) if goes_on else None
        return answer(Page([event_view(row) for row in rows], cursor))
