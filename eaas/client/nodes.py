"""The client's calls about the controller itself, its nodes and their cards."""

from collections.abc import Mapping
from typing import Any

from eaas.client.calls import Calls, place
from eaas.node_views import CardView, NodeView
from eaas.sample_views import NodeSamplesView
from eaas.views import FolderView, Page, StatusView
from eaas.wire.rest import PatchNode


class NodeCalls(Calls):
    """Look at nodes and cards, and say what may be done with them."""

    async def status(self) -> StatusView:
        """Return the controller in one glance."""
        return await self._connection.call(StatusView, "GET", place("status"))

    async def folders(self) -> list[FolderView]:
        """Return the watched folders."""
        return (await self._connection.call(Page[FolderView], "GET", place("folders"))).items

    async def nodes(self) -> list[NodeView]:
        """Return every node."""
        return (await self._connection.call(Page[NodeView], "GET", place("nodes"))).items

    async def node(self, name: str) -> NodeView:
        """Return one node."""
        return await self._connection.call(NodeView, "GET", place("nodes", name))

    async def cards(self) -> list[CardView]:
        """Return every card of every node."""
        return (await self._connection.call(Page[CardView], "GET", place("cards"))).items

    async def samples(self) -> list[NodeSamplesView]:
        """Return the last quarter of an hour of every node and its cards."""
        return (await self._connection.call(Page[NodeSamplesView], "GET", place("samples"))).items

    async def node_samples(self, name: str) -> NodeSamplesView:
        """Return the last quarter of an hour of one node and its cards."""
        path = place("nodes", name, "samples")
        return await self._connection.call(NodeSamplesView, "GET", path)

    async def drain(self, node: str) -> NodeView:
        """Let the node finish its jobs and take no new ones."""
        return await self._patch(node, PatchNode(draining=True))

    async def resume(self, node: str) -> NodeView:
        """Let the node take jobs again."""
        return await self._patch(node, PatchNode(draining=False))

    async def label_node(self, node: str, labels: Mapping[str, str | None]) -> NodeView:
        """Set labels of the node; None removes one."""
        return await self._patch(node, PatchNode(labels=dict(labels)))

    async def exclude_card(self, node: str, card: str) -> NodeView:
        """Keep jobs off a card, named by index or UUID prefix."""
        return await self._patch(node, PatchNode(exclude_card=card))

    async def include_card(self, node: str, card: str) -> NodeView:
        """Offer a card again that a person excluded."""
        return await self._patch(node, PatchNode(include_card=card))

    async def clean_card(self, node: str, card: str) -> NodeView:
        """Say that a dirty card is clean now."""
        path = place("nodes", node, "clean-card")
        return await self._connection.call(NodeView, "POST", path, body={"card": card})

    async def confirm_dead(self, node: str) -> NodeView:
        """Say that the node is gone for good, so that its jobs may run elsewhere."""
        path = place("nodes", node, "confirm-dead")
        return await self._connection.call(NodeView, "POST", path)

    async def forget_node(self, node: str) -> Any:
        """Forget a node that is offline and holds nothing."""
        return await self._tell("DELETE", place("nodes", node))

    async def _patch(self, node: str, body: PatchNode) -> NodeView:
        return await self._connection.call(NodeView, "PATCH", place("nodes", node), body=body)
