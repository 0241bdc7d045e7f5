"""Lists of jobs: what has not ended from memory, in the order of the line; the rest as stored."""

import asyncio
import base64
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec
from aiohttp import web

from eaas.ids import PoolName, QueueName, UserName
from eaas.lifecycle import ENDED, JobState
from eaas.spelling import nearest, shown
from eaas.views import JobView, Page
from eaas.wire.codec import UNREADABLE
from eaas_daemon.api.bodies import query_flag, query_int, wrong_query
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.api.private import job_for
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.line import turn_of
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State
from eaas_daemon.store.readers import JobFilter

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
DRAWN_AT_ONCE: Final = 50
"""So many jobs are drawn in about 3 ms."""
_WORDS: Final = {state.lower(): state for state in JobState}


class Place(NamedTuple):
    """Where a job stands in the list of what has not ended; smaller comes first."""

    waits: int
    """0: on a node; 1: in line; 2: not even that yet."""
    pool: str
    minus_queue_priority: int
    rank: int
    minus_priority: int
    standing: int
    """Of its user, which moves with time: of pages asked for far apart one job may be in two."""
    number: int


class JobLists:
    """``GET /api/v1/jobs``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the route."""
        return [web.get("/api/v1/jobs", self.show, allow_head=False)]

    async def show(self, request: web.Request) -> web.Response:
        """Show a page of jobs."""
        wanted = _wanted(request)
        limit = min(MAX_LIMIT, query_int(request, "limit", DEFAULT_LIMIT, least=1))
        cursor = request.query.get("cursor")
        ended = wanted.ended is None and (wanted.states is None or bool(wanted.states & ENDED))
        if ended:
            return answer(await self._stored(request, wanted, cursor, limit))
        return answer(self._in_memory(request, wanted, cursor, limit))

    async def _stored(
        self, request: web.Request, wanted: JobFilter, cursor: str | None, limit: int
    ) -> Page[JobView]:
        """Draw a stored page bit by bit: the others that ask do not wait for a large one."""
        page = await self._parts.reader.jobs(wanted, cursor=cursor, limit=limit)
        views: list[JobView] = []
        for start in range(0, len(page.jobs), DRAWN_AT_ONCE):
            views += self._views(request, page.jobs[start : start + DRAWN_AT_ONCE])
            await asyncio.sleep(0)
        return Page(views, page.next)

    def _in_memory(
        self, request: web.Request, wanted: JobFilter, cursor: str | None, limit: int
    ) -> Page[JobView]:
        state = self._parts.engine.state
        after = None if cursor is None else _place_from(cursor)
        jobs: list[Job] = []
        for job in in_order(state):
            if not matches(wanted, job) or (after is not None and place_of(state, job) <= after):
                continue
            if len(jobs) == limit:
                return Page(self._views(request, jobs), _cursor_at(place_of(state, jobs[-1])))
            jobs.append(job)
        return Page(self._views(request, jobs))

    def _views(self, request: web.Request, jobs: Iterable[Job]) -> list[JobView]:
        painter, caller = self._parts.engine.painter(), caller_of(request)
        current = self._parts.engine.state.jobs
        return [job_for(caller, painter, current.get(job.uid, job)) for job in jobs]


def in_order(state: State) -> Iterator[Job]:
    """Yield what has not ended: on nodes by number, then in line, then what is not in line yet."""
    placed = (job for jobs in state.placed.values() for job in jobs.values())
    yield from sorted(placed, key=_number)
    for pool in sorted(state.pools):
        for uid in state.line.in_order(pool, state.order):
            yield state.jobs[uid]
    yield from sorted((state.jobs[uid] for uid in state.aside), key=_delayed_order)


def place_of(state: State, job: Job) -> Place:
    """Return where the job stands in ``in_order``."""
    if job.state is not JobState.PENDING:
        return Place(0, "", 0, 0, 0, 0, job.number)
    if not job.in_line:
        return Place(2, job.pool, 0, 0, 0, 0, job.number)
    return Place(1, job.pool, *state.order.place(shape_of(job), turn_of(job)))


def matches(wanted: JobFilter, job: Job) -> bool:
    """Tell whether the list is to have the job."""
    return (
        (wanted.states is None or job.state in wanted.states)
        and (wanted.pool is None or job.pool == wanted.pool)
        and (wanted.queue is None or job.queue == wanted.queue)
        and (wanted.user is None or job.user == wanted.user)
    )


def _number(job: Job) -> int:
    return job.number


def _delayed_order(job: Job) -> tuple[str, int]:
    return job.pool, job.number


def _wanted(request: web.Request) -> JobFilter:
    query = request.query
    pool, _, queue = query.get("queue", "").rpartition("/")
    pool = pool or query.get("pool", "")
    states = frozenset(_states(request))
    every = query_flag(request, "all")
    return JobFilter(
        states=states or None,
        ended=None if every or states else False,
        pool=PoolName(pool) if pool else None,
        queue=QueueName(queue) if queue else None,
        user=UserName(query["user"]) if query.get("user") else None,
    )


def _states(request: web.Request) -> Iterator[JobState]:
    for text in request.query.getall("state", []):
        for word in filter(None, text.split(",")):
            state = _WORDS.get(word.strip().lower())
            if state is None:
                listed = ", ".join(JobState)
                fact = f"has no {shown(word)}; there are: {listed}"
                near = nearest(word, list(JobState))
                raise wrong_query("state", fact, near or "", tuple(JobState))
            yield state


def _cursor_at(place: Place) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def _place_from(cursor: str) -> Place:
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        return msgspec.json.decode(base64.urlsafe_b64decode(padded), type=Place)
    except (ValueError, *UNREADABLE) as error:
        raise wrong_query("cursor", "is not one that this list has given out") from error
