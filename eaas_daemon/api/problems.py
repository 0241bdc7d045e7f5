"""Refusals as problem+json, and everything unforeseen as a 500 that tells nothing of the inside."""

import logging
from collections.abc import Mapping
from typing import Final
from uuid import uuid4

import msgspec
from aiohttp import web

from eaas.errors import EaasError, NotFound, TooLarge
from eaas.problem import MEDIA_TYPE, Problem, problem_from

log = logging.getLogger(__name__)

RETRY_AFTER_S: Final = "2"
"""A controller that stops is mostly about to start again."""


CODE: Final = web.ResponseKey("code", str)
"""Where a problem's response keeps its code, for those who count."""


class MethodNotAllowed(EaasError):
    """The route exists, but not with this method."""

    code = "method_not_allowed"
    http_status = 405


class UnsupportedMedia(EaasError):
    """The body is of a kind the route does not take."""

    code = "unsupported_media_type"
    http_status = 415


class BadRequest(EaasError):
    """The request is not one this server understands."""

    code = "bad_request"
    http_status = 400


_BY_STATUS: Final[Mapping[int, type[EaasError]]] = {
    404: NotFound,
    405: MethodNotAllowed,
    413: TooLarge,
    415: UnsupportedMedia,
}


def refused(error: EaasError) -> web.Response:
    """Return the refusal as its problem object."""
    return _response(problem_from(error))


def refused_by_status(request: web.Request, error: web.HTTPException) -> web.Response:
    """Return what aiohttp itself refuses, such as a path without a route, as a problem object."""
    kind = _BY_STATUS.get(error.status, BadRequest)
    problem = problem_from(kind(_sentence(request, error)))
    if kind is BadRequest:
        problem = msgspec.structs.replace(problem, status=error.status)
    response = _response(problem)
    if isinstance(error, web.HTTPMethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.allowed_methods))
    return response


def _sentence(request: web.Request, error: web.HTTPException) -> str:
    if error.status == 404:
        return f"there is nothing at {request.path}"
    if isinstance(error, web.HTTPMethodNotAllowed):
        return f"{request.path} has no {request.method}"
    if error.status == 413:
        return "the body is over the limit of 1 MiB"
    return error.reason


def failed(request: web.Request) -> web.Response:
    """Write the exception at hand to the log under a number, and return only the number."""
    number = uuid4().hex[:12]
    log.exception("request %s failed: %s %s", number, request.method, request.path)
    return _response(
        Problem(
            type="urn:mini-eaas:problem:internal",
            title="Internal",
            status=500,
            detail=f"the controller failed at this; its log tells more under {number}",
            code="internal",
        )
    )


def _response(problem: Problem) -> web.Response:
    body = msgspec.json.encode(problem)
    response = web.Response(body=body, status=problem.status, content_type=MEDIA_TYPE)
    response[CODE] = problem.code
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.status == 503:
        response.headers["Retry-After"] = RETRY_AFTER_S
    return response
