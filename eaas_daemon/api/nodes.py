"""Routes of nodes and their cards."""

from collections.abc import Iterator

from aiohttp import web

from eaas.errors import FieldError, Invalid
from eaas.ids import NodeName
from eaas.node_views import NodeView
from eaas.views import Page
from eaas.wire.rest import CleanCard, PatchNode
from eaas_daemon.api.bodies import read_body
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.api.private import public_card, public_node
from eaas_daemon.core import events as e
from eaas_daemon.core.admin import node_named
from eaas_daemon.core.inventory_picture import card_view, node_view
from eaas_daemon.core.model import Node
from eaas_daemon.core.unseen import unseen, unseen_view


class NodeRoutes:
    """``/api/v1/nodes`` and ``/api/v1/cards``."""

    def __init__(self, parts: Parts) -> None:
        self._engine = parts.engine
        self._clock = parts.clock

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        node = "/api/v1/nodes/{node}"
        return [
            web.get("/api/v1/nodes", self.every, allow_head=False),
            web.get("/api/v1/cards", self.cards, allow_head=False),
            web.get(node, self.show, allow_head=False),
            web.patch(node, self.patch),
            web.delete(node, self.remove),
            web.post(f"{node}/confirm-dead", self.confirm_dead),
            web.post(f"{node}/clean-card", self.clean_card),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show every node, and the machines that have joined and never ran."""
        state = self._engine.state
        views = [self._view(node, caller_of(request)) for node in state.nodes.values()]
        views += map(unseen_view, unseen(state, self._clock.now()).values())
        return answer(Page(sorted(views, key=lambda view: view.name)))

    async def cards(self, request: web.Request) -> web.Response:
        """Show every card of every node."""
        state = self._engine.state
        nodes = [state.nodes[name] for name in sorted(state.nodes)]
        views = [card_view(state, node, card) for node in nodes for card in node.cards]
        admin = caller_of(request).admin
        return answer(Page(views if admin else [public_card(view) for view in views]))

    async def show(self, request: web.Request) -> web.Response:
        """Show one node, or a machine that is to become one."""
        state, name = self._engine.state, request.match_info["node"]
        if (given := unseen(state, self._clock.now()).get(NodeName(name))) is not None:
            return answer(unseen_view(given))
        node = node_named(state, name)
        return answer(self._view(node, caller_of(request)))

    async def patch(self, request: web.Request) -> web.Response:
        """Drain, resume, label; exclude and include cards: all that the body names, in order."""
        body = await read_body(request, PatchNode)
        wishes = list(_wishes(request, body))
        if not wishes:
            message = "say what to change: draining, labels, exclude_card or include_card"
            raise Invalid((FieldError(field="", message=message),))
        answers = [await self._engine.ask(wish) for wish in wishes]
        return answer(self._view(answers[-1], caller_of(request)))

    async def remove(self, request: web.Request) -> web.Response:
        """Forget a node that has nothing to do."""
        await self._engine.ask(
            e.RemoveNode(caller=caller_of(request), node=request.match_info["node"])
        )
        return answer({})

    async def confirm_dead(self, request: web.Request) -> web.Response:
        """Take a person's word that a silent node's attempts are over."""
        event = e.ConfirmDead(caller=caller_of(request), node=request.match_info["node"])
        return answer(self._view(await self._engine.ask(event), event.caller))

    async def clean_card(self, request: web.Request) -> web.Response:
        """Take a person's word that what is left on a card does no harm."""
        body = await read_body(request, CleanCard)
        event = e.CleanCard(
            caller=caller_of(request), node=request.match_info["node"], card=body.card
        )
        return answer(self._view(await self._engine.ask(event), event.caller))

    def _view(self, node: Node, caller: e.Caller) -> NodeView:
        state = self._engine.state
        view = node_view(state, state.nodes.get(node.name, node))
        return view if caller.admin else public_node(view)


def _wishes(request: web.Request, body: PatchNode) -> Iterator[e.Asked]:
    caller, node = caller_of(request), request.match_info["node"]
    if body.labels is not None:
        yield e.SetLabels(caller=caller, node=node, labels=body.labels)
    if body.exclude_card is not None:
        yield e.SetExcluded(caller=caller, node=node, card=body.exclude_card, excluded=True)
    if body.include_card is not None:
        yield e.SetExcluded(caller=caller, node=node, card=body.include_card, excluded=False)
    if body.draining is not None:
        yield e.SetDraining(caller=caller, node=node, draining=body.draining)
