"""Routes of files in workspaces: piped from the agent to whoever asked, never stored here."""

from contextlib import AsyncExitStack

from aiohttp import ClientError, StreamReader, web

from eaas.errors import Conflict
from eaas_daemon.api.auth import for_agents
from eaas_daemon.api.bodies import wrong_query
from eaas_daemon.api.jobs import own_job
from eaas_daemon.api.packs import PIECE_BYTES
from eaas_daemon.api.parts import Parts, answer

MAX_PATH_CHARS = 4096


class FileRoutes:
    """``/api/v1/jobs/{id}/files`` and ``/agent/v1/files/{request}``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get("/api/v1/jobs/{id}/files", self.get, allow_head=False),
            web.post("/agent/v1/files/{request}", for_agents(self.sent)),
        ]

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Return a file or folder of the job's workspace as a tar."""
        job = own_job(self._parts, request)
        path = request.query.get("path", ".")
        if not 1 <= len(path) <= MAX_PATH_CHARS or "\0" in path:
            raise wrong_query("path", f"takes 1 to {MAX_PATH_CHARS} characters")
        attempt = job.attempt
        if attempt is None:
            raise Conflict(f"job {job.called} is {job.state} and has no workspace yet")
        with self._parts.long_calls.noted():
            async with AsyncExitStack() as stack:
                content = await stack.enter_async_context(
                    self._parts.files.asked(attempt.node, job.uid, path)
                )
                return await _piped(request, content)

    async def sent(self, request: web.Request) -> web.Response:
        """Take what an agent was asked to send."""
        with self._parts.long_calls.noted():
            await self._parts.files.sent(request.match_info["request"], request.content)
        return answer({})


async def _piped(request: web.Request, content: StreamReader) -> web.StreamResponse:
    """Pass the bytes on as fast as they are taken; a cut on one side is a cut on the other."""
    response = web.StreamResponse(headers={"Content-Type": "application/x-tar"})
    await response.prepare(request)
    try:
        async for piece in content.iter_chunked(PIECE_BYTES):
            await response.write(piece)
        await response.write_eof()
    except (ClientError, OSError, web.RequestPayloadError):
        if request.transport is not None:
            request.transport.abort()  # no proper end, so that nobody takes a part for the whole
    return response
