"""Routes of pools and of what belongs to them."""

from aiohttp import web

from eaas.views import Page, PoolView
from eaas.wire.rest import AddNode, CreatePool, SetPool
from eaas_daemon.api.bodies import read_body, read_optional_body
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.core import events as e
from eaas_daemon.core.admin import pool_named
from eaas_daemon.core.inventory_picture import pool_view
from eaas_daemon.core.model import Pool


class PoolRoutes:
    """``/api/v1/pools``, but for the queues."""

    def __init__(self, parts: Parts) -> None:
        self._engine = parts.engine

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        pool = "/api/v1/pools/{pool}"
        return [
            web.get("/api/v1/pools", self.every, allow_head=False),
            web.post("/api/v1/pools", self.create),
            web.get(pool, self.show, allow_head=False),
            web.patch(pool, self.change),
            web.delete(pool, self.delete),
            web.put(f"{pool}/nodes/{{node}}", self.add_node),
            web.delete(f"{pool}/nodes/{{node}}", self.remove_node),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show every pool."""
        state = self._engine.state
        views = [pool_view(state, state.pools[name]) for name in sorted(state.pools)]
        return answer(Page(views))

    async def show(self, request: web.Request) -> web.Response:
        """Show one pool."""
        return answer(self._view(pool_named(self._engine.state, request.match_info["pool"])))

    async def create(self, request: web.Request) -> web.Response:
        """Make a pool."""
        body = await read_body(request, CreatePool)
        event = e.CreatePool(caller=caller_of(request), name=body.name)
        return answer(self._view(await self._engine.ask(event)), 201)

    async def change(self, request: web.Request) -> web.Response:
        """Change a pool's settings."""
        event = e.ChangePool(
            caller=caller_of(request),
            name=request.match_info["pool"],
            settings=await read_body(request, SetPool),
        )
        return answer(self._view(await self._engine.ask(event)))

    async def delete(self, request: web.Request) -> web.Response:
        """Remove a pool that is not used."""
        await self._engine.ask(
            e.DeletePool(caller=caller_of(request), name=request.match_info["pool"])
        )
        return answer({})

    async def add_node(self, request: web.Request) -> web.Response:
        """Let a node, or some of its cards, belong to the pool."""
        body = await read_optional_body(request, AddNode)
        event = e.AddToPool(
            caller=caller_of(request),
            pool=request.match_info["pool"],
            node=request.match_info["node"],
            cards=None if body.cards is None else tuple(body.cards),
        )
        return answer(self._view(await self._engine.ask(event)))

    async def remove_node(self, request: web.Request) -> web.Response:
        """Let a node not belong to the pool."""
        event = e.RemoveFromPool(
            caller=caller_of(request),
            pool=request.match_info["pool"],
            node=request.match_info["node"],
        )
        return answer(self._view(await self._engine.ask(event)))

    def _view(self, pool: Pool) -> PoolView:
        return pool_view(self._engine.state, pool)
