"""Routes of packs: people put them in, agents take them out."""

from aiohttp import web

from eaas.errors import TooLarge
from eaas.packs import MAX_PACK_BYTES
from eaas_daemon.api.auth import for_agents
from eaas_daemon.api.packs import PIECE_BYTES, PackStore
from eaas_daemon.api.parts import answer


class PackRoutes:
    """``/api/v1/packs`` and ``/agent/v1/packs``."""

    def __init__(self, packs: PackStore) -> None:
        self._packs = packs

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.put("/api/v1/packs/{hash}", self.put),
            web.head("/api/v1/packs/{hash}", self.head),
            web.get("/agent/v1/packs/{hash}", for_agents(self.fetch), allow_head=False),
        ]

    async def put(self, request: web.Request) -> web.Response:
        """Store an uploaded pack."""
        name = request.match_info["hash"]
        self._packs.path(name)
        if (request.content_length or 0) > MAX_PACK_BYTES:
            raise TooLarge(f"a pack may have {MAX_PACK_BYTES >> 20} MiB at most")
        is_new = await self._packs.take(name, request.content.iter_chunked(PIECE_BYTES))
        return answer({"hash": name}, status=201 if is_new else 200)

    async def head(self, request: web.Request) -> web.Response:
        """Tell whether the pack is here."""
        path = self._packs.found(request.match_info["hash"])
        return web.Response(headers={"Content-Length": str(path.stat().st_size)})

    async def fetch(self, request: web.Request) -> web.FileResponse:
        """Give an agent the pack; its name comes with or without ``sha256:``."""
        name = request.match_info["hash"]
        if ":" not in name:
            name = f"sha256:{name}"
        return web.FileResponse(self._packs.found(name), chunk_size=PIECE_BYTES)
