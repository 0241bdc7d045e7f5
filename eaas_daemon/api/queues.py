"""Routes of queues."""

from aiohttp import web

from eaas.views import Page, QueueView
from eaas.wire.rest import SetQueue
from eaas_daemon.api.bodies import read_body, read_optional_body
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.core import events as e
from eaas_daemon.core.admin import queue_named
from eaas_daemon.core.inventory_picture import queue_view
from eaas_daemon.core.model import Queue


class QueueRoutes:
    """``/api/v1/queues`` and ``/api/v1/pools/{pool}/queues/{queue}``."""

    def __init__(self, parts: Parts) -> None:
        self._engine = parts.engine

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        queue = "/api/v1/pools/{pool}/queues/{queue}"
        return [
            web.get("/api/v1/queues", self.every, allow_head=False),
            web.get(queue, self.show, allow_head=False),
            web.post(queue, self.create),
            web.patch(queue, self.change),
            web.delete(queue, self.delete),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show every queue of every pool."""
        state = self._engine.state
        views = [queue_view(state, state.queues[ref]) for ref in sorted(state.queues)]
        return answer(Page(views))

    async def show(self, request: web.Request) -> web.Response:
        """Show one queue."""
        pool, name = _names(request)
        return answer(self._view(queue_named(self._engine.state, pool, name)))

    async def create(self, request: web.Request) -> web.Response:
        """Make a queue."""
        settings = await read_optional_body(request, SetQueue)
        pool, name = _names(request)
        event = e.CreateQueue(caller=caller_of(request), pool=pool, name=name, settings=settings)
        return answer(self._view(await self._engine.ask(event)), 201)

    async def change(self, request: web.Request) -> web.Response:
        """Change the settings that the body names."""
        settings = await read_body(request, SetQueue)
        pool, name = _names(request)
        event = e.ChangeQueue(caller=caller_of(request), pool=pool, name=name, settings=settings)
        return answer(self._view(await self._engine.ask(event)))

    async def delete(self, request: web.Request) -> web.Response:
        """Remove a queue that is not used."""
        pool, name = _names(request)
        await self._engine.ask(e.DeleteQueue(caller=caller_of(request), pool=pool, name=name))
        return answer({})

    def _view(self, queue: Queue) -> QueueView:
        return queue_view(self._engine.state, queue)


def _names(request: web.Request) -> tuple[str, str]:
    return request.match_info["pool"], request.match_info["queue"]
