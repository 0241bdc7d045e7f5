"""Routes of what attempts wrote: exact bytes by offset, waits for more, times, and search."""

import asyncio
import re
from typing import Final

import msgspec
from aiohttp import web

from eaas.errors import NotFound
from eaas.units import utc_text
from eaas.views import LogTimeView, Page
from eaas_daemon.api.bodies import query_choice, query_int, query_seconds, wrong_query
from eaas_daemon.api.jobs import own_job
from eaas_daemon.api.parts import Parts, answer
from eaas_daemon.core.model import Attempt, Job
from eaas_daemon.logs.answers import LogRead
from eaas_daemon.logs.files import AnyStream
from eaas_daemon.logs.search import After
from eaas_daemon.logs.store import MAX_READ_BYTES

MAX_WAIT_S: Final = 30.0
DEFAULT_PIECE_BYTES: Final = 256 * 1024
MAX_MATCHES: Final = 1000
MOST_BYTES: Final = 1 << 40
"""More than any log has."""
STREAMS: Final = ("stdout", "stderr", "both")


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a log is asked for."""

    attempt: int
    stream: AnyStream
    offset: int
    limit: int
    wait_s: float


class LogRoutes:
    """``/api/v1/jobs/{id}/attempts/{n}/log``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        log = "/api/v1/jobs/{id}/attempts/{n}/log"
        return [
            web.get(log, self.read, allow_head=False),
            web.get(f"{log}/times", self.times, allow_head=False),
            web.get(f"{log}/search", self.search, allow_head=False),
        ]

    async def read(self, request: web.Request) -> web.Response:
        """Return a piece of the log, waiting for one if asked to."""
        job = own_job(self._parts, request)
        wish = _wish(request)
        with self._parts.long_calls.noted():
            piece = await self._waited_for(job, wish)
        return web.Response(
            body=piece.data,
            content_type="application/octet-stream",
            headers={
                "X-Log-Offset": str(piece.offset),
                "X-Log-Next": str(piece.offset + len(piece.data)),
                "X-Log-Size": str(piece.size),
                "X-Log-Complete": "1" if piece.complete else "0",
            },
        )

    async def _waited_for(self, job: Job, wish: Wish) -> LogRead:
        """Look until there is something new, the log is complete, or the time is up."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wish.wait_s
        with self._parts.bell.watching(job.uid) as changed:
            while True:
                changed.clear()
                piece = await self._look(job.number, wish)
                left_s = deadline - loop.time()
                if piece.data or piece.complete or wish.limit == 0 or left_s <= 0:
                    return piece
                await self._news(job, wish.attempt, piece, changed, left_s)

    async def _look(self, number: int, wish: Wish) -> LogRead:
        job = self._parts.engine.state.job_by_number(number)
        attempt = _attempt(job, number, wish.attempt)
        if job is None or attempt is None:
            return NOTHING_YET
        piece = await self._parts.logs.read(
            job.uid, attempt.number, wish.stream, wish.offset, wish.limit
        )
        return msgspec.structs.replace(piece, complete=piece.complete or is_final(attempt))

    async def _news(
        self, job: Job, attempt: int, piece: LogRead, changed: asyncio.Event, left_s: float
    ) -> None:
        logs = self._parts.logs
        waits = {
            asyncio.ensure_future(changed.wait()),
            asyncio.ensure_future(logs.changed(job.uid, attempt, seen=piece.seen)),
        }
        try:
            await asyncio.wait(waits, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def times(self, request: web.Request) -> web.Response:
        """Return when the bytes from ``offset`` on arrived, each moment with its first byte.

        ``next`` is the ``offset`` to ask on with when there are more than one answer tells.
        """
        job = own_job(self._parts, request)
        wish = _wish(request)
        offset = query_int(request, "offset", 0, least=0)
        limit = query_int(request, "limit", MOST_BYTES, least=0)
        if _attempt(job, job.number, wish.attempt) is None:
            return answer(Page[LogTimeView]([]))
        found = await self._parts.logs.times(job.uid, wish.attempt, wish.stream, offset, limit)
        items = [
            LogTimeView(
                offset=time.offset,
                at=None if time.at_ms is None else utc_text(time.at_ms / 1000),
            )
            for time in found.times
        ]
        return answer(Page(items, None if found.is_all else str(found.end)))

    async def search(self, request: web.Request) -> web.Response:
        """Return the first lines that have the text; the last ones when asked for ``before``.

        ``next`` is the ``after`` to go on with: a byte, and which line begins behind it.
        """
        job = own_job(self._parts, request)
        wish = _wish(request)
        words = request.query.get("q", "")
        if not words:
            raise wrong_query("q", "is missing: the text to look for")
        if _attempt(job, job.number, wish.attempt) is None:
            return answer(Page[object]([]))
        limit = min(MAX_MATCHES, query_int(request, "limit", 100, least=1))
        with self._parts.long_calls.noted():
            found = await self._parts.logs.search(
                job.uid,
                wish.attempt,
                wish.stream,
                words,
                limit,
                after=_after(request),
                before=_before(request),
            )
        return answer(Page(list(found.matches), _cursor(found.next)))


NOTHING_YET: Final = LogRead(offset=0, data=b"", size=0, complete=False, gap_bytes=0, seen=0)


def is_final(attempt: Attempt) -> bool:
    """Tell whether the attempt's log will not grow: all of it is here, or there never was any."""
    never_ran = attempt.finished_at is not None and attempt.started_at is None
    return attempt.log_complete or never_ran


def _attempt(job: Job | None, number: int, attempt: int) -> Attempt | None:
    """Return the attempt; None for the next one of a job that has not ended."""
    count = 0 if job is None else len(job.attempts)
    if job is not None and 1 <= attempt <= count:
        return job.attempts[attempt - 1]
    if job is None or job.ended or attempt != count + 1:
        raise NotFound(f"job {number} has no attempt {attempt}; it has had {count}")
    return None


def _after(request: web.Request) -> After | None:
    text = request.query.get("after")
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,15})(?::([1-9][0-9]{0,14}))?", text, re.ASCII)
    if match is None:
        raise wrong_query("after", "must be a byte of the log, or what next said")
    return After(int(match[1]), int(match[2]) if match[2] else None)


def _before(request: web.Request) -> int | None:
    if "before" not in request.query:
        return None
    if "after" in request.query:
        raise wrong_query("before", "can't be together with after: they are two directions")
    return query_int(request, "before", 0, least=0)


def _cursor(after: After | None) -> str | None:
    if after is None:
        return None
    return str(after.offset) if after.line is None else f"{after.offset}:{after.line}"


def _wish(request: web.Request) -> Wish:
    text = request.match_info["n"]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound(f"{text!r} is no number of an attempt")
    stream = query_choice(request, "stream", STREAMS, "both")
    return Wish(
        attempt=int(text),
        stream=stream,  # type: ignore[arg-type]
        offset=query_int(request, "offset", 0),
        limit=min(MAX_READ_BYTES, query_int(request, "limit", DEFAULT_PIECE_BYTES, least=0)),
        wait_s=query_seconds(request, "wait_s", most=MAX_WAIT_S),
    )
