"""The client's calls about tokens, and about who did what."""

from typing import Literal

from msgspec import UNSET, UnsetType

from eaas.client.calls import Calls, place
from eaas.token_views import TokenView
from eaas.views import EventView, Page
from eaas.wire.rest import CreateToken


class TokenCalls(Calls):
    """Let people and machines in, and no longer."""

    async def tokens(self, *, all: bool = False) -> list[TokenView]:
        """Return the tokens that let somebody in; with ``all`` the others too."""
        params = {"all": 1 if all else None}
        page = await self._connection.call(Page[TokenView], "GET", place("tokens"), params=params)
        return page.items

    async def create_token(
        self,
        role: Literal["viewer", "member", "admin", "agent"],
        *,
        user: str | None = None,
        expires_s: float | None | UnsetType = UNSET,
        uses: int | None | UnsetType = UNSET,
        node: str | UnsetType = UNSET,
    ) -> TokenView:
        """Make a token; only this answer has its text. ``expires_s`` None is never."""
        body = CreateToken(role=role, user=user, expires_s=expires_s, uses=uses, node=node)
        return await self._connection.call(TokenView, "POST", place("tokens"), body=body)

    async def revoke_token(self, id: str) -> TokenView:
        """Let a token let nobody in any more."""
        return await self._connection.call(TokenView, "POST", place("tokens", id, "revoke"))

    async def audit(self, *, limit: int | None = None) -> list[EventView]:
        """Return what was done to the pool itself, newest first."""
        params = {"limit": limit}
        page = await self._connection.call(Page[EventView], "GET", place("audit"), params=params)
        return page.items
