"""The client's calls about pools and queues."""

from collections.abc import Sequence
from typing import Any

from eaas.client.calls import Calls, place
from eaas.views import Page, PoolView, QueueView
from eaas.wire.rest import AddNode, CreatePool, SetPool, SetQueue


class PoolCalls(Calls):
    """Make pools and their queues, and change them."""

    async def pools(self) -> list[PoolView]:
        """Return every pool."""
        return (await self._connection.call(Page[PoolView], "GET", place("pools"))).items

    async def pool(self, name: str) -> PoolView:
        """Return one pool."""
        return await self._connection.call(PoolView, "GET", place("pools", name))

    async def create_pool(self, name: str) -> PoolView:
        """Create an empty pool with its queue ``default``."""
        body = CreatePool(name=name)
        return await self._connection.call(PoolView, "POST", place("pools"), body=body)

    async def set_pool(self, name: str, settings: SetPool) -> PoolView:
        """Change the settings of a pool that are named."""
        return await self._connection.call(PoolView, "PATCH", place("pools", name), body=settings)

    async def delete_pool(self, name: str) -> Any:
        """Delete a pool in which nothing waits or runs."""
        return await self._tell("DELETE", place("pools", name))

    async def add_node(
        self, pool: str, node: str, *, cards: Sequence[str] | None = None
    ) -> PoolView:
        """Put a node into a pool; ``cards`` are indexes or UUID prefixes, None is all."""
        body = AddNode(cards=None if cards is None else list(cards))
        path = place("pools", pool, "nodes", node)
        return await self._connection.call(PoolView, "PUT", path, body=body)

    async def remove_node(self, pool: str, node: str) -> Any:
        """Take a node out of a pool; what runs there runs on."""
        return await self._tell("DELETE", place("pools", pool, "nodes", node))

    async def queues(self) -> list[QueueView]:
        """Return every queue of every pool."""
        return (await self._connection.call(Page[QueueView], "GET", place("queues"))).items

    async def queue(self, pool: str, name: str) -> QueueView:
        """Return one queue."""
        return await self._connection.call(QueueView, "GET", _queue(pool, name))

    async def create_queue(self, pool: str, name: str, settings: SetQueue) -> QueueView:
        """Create a queue; what the settings leave out is the default."""
        return await self._connection.call(QueueView, "POST", _queue(pool, name), body=settings)

    async def set_queue(self, pool: str, name: str, settings: SetQueue) -> QueueView:
        """Change a queue; what the settings leave out stays."""
        return await self._connection.call(QueueView, "PATCH", _queue(pool, name), body=settings)

    async def delete_queue(self, pool: str, name: str) -> Any:
        """Delete a queue in which nothing waits or runs."""
        return await self._tell("DELETE", _queue(pool, name))


def _queue(pool: str, name: str) -> str:
    return place("pools", pool, "queues", name)
