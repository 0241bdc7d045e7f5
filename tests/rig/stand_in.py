"""A stand-in for the controller: a real server on a unix socket that serves canned views.

It keeps no rules: what is asked is noted down, what is answered was put in. The real
controller's behaviour is tested with the real controller.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import web

from eaas.errors import EaasError, NotFound
from eaas.problem import MEDIA_TYPE, problem_from
from eaas.views import JobView, LogTimeView, Page
from eaas.wire.to_client import AnyToClient, Changes, Snapshot

AT: Final = "2026-03-01T08:00:00.000Z"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Asked(msgspec.Struct, frozen=True):
    """One request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    key: str | None


class StandIn:
    """Canned answers by ``METHOD /path``, jobs by number, logs by attempt, and what was asked."""

    def __init__(self) -> None:
        self.asked: Final[list[Asked]] = []
        self.answers: Final[dict[str, Any]] = {}
        """An object is sent as JSON, an ``EaasError`` as its problem, a function is called."""
        self.jobs: Final[dict[int, JobView]] = {}
        self.logs: Final[dict[tuple[int, int, str], bytes]] = {}
        self.times: Final[dict[tuple[int, int, str], list[tuple[int, str | None]]]] = {}
        """When which byte of a log arrived."""
        self.frames: Final[list[list[AnyToClient]]] = []
        """What each connection to the stream gets, in turn, before it is cut."""
        self.cut_submits = 0
        """How many submits are carried out and then cut off without an answer."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Note the request down and answer it."""
        path = request.path
        await self._note(request)
        canned = self.answers.get(f"{request.method} {path}")
        if canned is None:
            canned = self._built_in(request)
        try:
            if callable(canned):
                canned = await canned(request)
        except EaasError as error:
            canned = error
        if isinstance(canned, web.StreamResponse):
            return canned
        return _json(canned)

    async def _note(self, request: web.Request) -> None:
        content = b"" if request.path.endswith("/stream") else await request.read()
        is_json = request.content_type == "application/json" and content
        self.asked.append(
            Asked(
                request.method,
                request.path,
                dict(request.query),
                msgspec.json.decode(content) if is_json else content or None,
                request.headers.get("Idempotency-Key"),
            )
        )

    def _built_in(self, request: web.Request) -> Any:
        parts = request.path.removeprefix("/api/v1/").split("/")
        if parts == ["jobs"]:
            return self._submit if request.method == "POST" else Page(list(self.jobs.values()))
        if parts[0] == "jobs" and len(parts) == 2 and parts[1].isdecimal():
            return self.jobs.get(int(parts[1])) or NotFound(f"there is no job {parts[1]}")
        if parts[-1] == "log":
            return self._log
        if parts[-2:] == ["log", "times"]:
            return self._times
        if parts == ["stream"]:
            return self._stream
        return NotFound(f"there is nothing at {request.path}")

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        number = len({asked.key for asked in self.asked if asked.path == "/api/v1/jobs"})
        if self.cut_submits:
            self.cut_submits -= 1
            assert request.transport is not None
            request.transport.abort()
        return _json(self.jobs[number], status=201)

    async def _log(self, request: web.Request) -> web.StreamResponse:
        parts = request.path.split("/")
        content = self.logs[int(parts[4]), int(parts[6]), request.query["stream"]]
        offset, limit = int(request.query["offset"]), int(request.query["limit"])
        begin = max(0, len(content) + offset) if offset < 0 else min(offset, len(content))
        piece = content[begin : begin + limit]
        headers = {
            "X-Log-Offset": str(begin),
            "X-Log-Next": str(begin + len(piece)),
            "X-Log-Size": str(len(content)),
            "X-Log-Complete": "1",
        }
        return web.Response(body=piece, headers=headers)

    async def _times(self, request: web.Request) -> web.StreamResponse:
        parts = request.path.split("/")
        moments = self.times[int(parts[4]), int(parts[6]), request.query["stream"]]
        begin = int(request.query["offset"])
        end = begin + int(request.query["limit"])
        first = [at for offset, at in moments if offset <= begin][-1:]
        rest = [one for one in moments if begin < one[0] < end]
        told = [*((begin, at) for at in first), *rest]
        return _json(Page([LogTimeView(offset=offset, at=at) for offset, at in told]))

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        for frame in self.frames.pop(0) if self.frames else [a_snapshot(*self.jobs.values())]:
            if isinstance(frame, Changes):
                self.jobs.update({view.id: view for view in frame.jobs})
            await websocket.send_str(msgspec.json.encode(frame).decode())
        if self.frames:
            await websocket.close()
        async for _ in websocket:
            pass
        return websocket


@asynccontextmanager
async def serving(stand_in: StandIn, socket: Path) -> AsyncIterator[None]:
    """Serve the stand-in on the socket for the length of the block."""
    app = web.Application(client_max_size=1 << 30)
    app.router.add_route("*", "/{path:.*}", stand_in.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.UnixSite(runner, str(socket)).start()
        yield
    finally:
        await runner.cleanup()


@contextmanager
def served_apart(stand_in: StandIn, socket: Path) -> Iterator[None]:
    """Serve the stand-in from a thread of its own, for tests of programs that block."""
    ready, done = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with serving(stand_in, socket):
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(10), "the stand-in does not start"
        yield
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()


def a_job(id: int = 1, state: str = "Pending", **changes: Any) -> JobView:
    """Return a job's view with everything else at its quietest."""
    quiet = JobView(
        id=id,
        uid=f"00000000-0000-7000-8000-{id:012d}",
        ref=str(id),
        array_index=None,
        name=None,
        user="ada",
        pool="default",
        queue="default",
        state=state,
        phase=None,
        reason=None,
        position=None,
        priority=0,
        attempt=0 if state == "Pending" else 1,
        node=None,
        cards=(),
        exit_code=None,
        oom_killed=None,
        created_at=AT,
        started_at=None,
        finished_at=None,
        run_s=None,
        timeout_s=None,
        image_digest=None,
        spec={"command": "true"},
        attempts=(),
    )
    return msgspec.structs.replace(quiet, **changes)


def a_snapshot(*jobs: JobView, seq: int = 1) -> Snapshot:
    """Return a snapshot with these jobs and nothing else."""
    return Snapshot(seq=seq, epoch=1, at=AT, pools=(), queues=(), nodes=(), jobs=jobs)


def a_change(*jobs: JobView, after: int) -> Changes:
    """Return the change that follows sequence number ``after``."""
    return Changes(after=after, seq=after + 1, at=AT, jobs=jobs)


def _json(answer: Any, *, status: int = 200) -> web.Response:
    if isinstance(answer, EaasError):
        problem = problem_from(answer)
        body = msgspec.json.encode(problem)
        return web.Response(body=body, status=problem.status, content_type=MEDIA_TYPE)
    body = msgspec.json.encode(answer)
    return web.Response(body=body, status=status, content_type="application/json")
