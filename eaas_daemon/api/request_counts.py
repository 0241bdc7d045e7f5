"""Counts what is asked over HTTP: by the route's pattern, so that no path adds a series."""

from time import perf_counter
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from eaas_daemon.api.problems import CODE
from eaas_daemon.metrics.live import RequestInstruments

NO_ROUTE: Final = "none"
"""The route, and the method, of what nothing answers to: anybody can make up more of these."""

HUNG_UP: Final = 499
"""The status of a request whose client went away before its answer; there is no official one."""

SUBMITS: Final = ("/api/v1/jobs", "/api/v1/jobs:batch")


def counting(requests: RequestInstruments) -> Middleware:
    """Return the outermost middleware, which sees every request and its answer."""

    @web.middleware
    async def through(request: web.Request, handler: Handler) -> web.StreamResponse:
        begun = perf_counter()
        answer: web.StreamResponse | None = None
        try:
            answer = await handler(request)
        finally:
            _count(requests, request, answer, perf_counter() - begun)
        return answer

    return through


def _count(
    requests: RequestInstruments,
    request: web.Request,
    answer: web.StreamResponse | None,
    took_s: float,
) -> None:
    resource = request.match_info.route.resource
    route = NO_ROUTE if resource is None else resource.canonical
    method = NO_ROUTE if resource is None else request.method
    status = HUNG_UP if answer is None else answer.status
    requests.answered.labels(route, method, status).inc()
    if not isinstance(answer, web.WebSocketResponse):
        requests.time.labels(route, method).observe(took_s)
    if answer is not None and method == "POST" and route in SUBMITS and CODE in answer:
        requests.refused_submits.labels(answer[CODE]).inc()
