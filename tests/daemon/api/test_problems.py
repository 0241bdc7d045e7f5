import msgspec
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from eaas.errors import FieldError, Invalid, Unauthenticated
from eaas.problem import Problem
from eaas_daemon.api.problems import refused, refused_by_status


def problem_in(response: web.Response) -> Problem:
    """Return the problem object of the answer."""
    assert response.content_type == "application/problem+json"
    assert isinstance(response.body, bytes)
    return msgspec.json.decode(response.body, type=Problem)


def test_a_refusal_keeps_its_code_its_status_and_every_mistake() -> None:
    error = FieldError(field="gpus", message="gpus: must be 0 or more")

    response = refused(Invalid((error,)))

    problem = problem_in(response)
    assert (response.status, problem.status, problem.code) == (422, 422, "invalid")
    assert problem.errors == (error,)


def test_who_is_not_known_is_told_how_to_say_it() -> None:
    assert refused(Unauthenticated("who?")).headers["WWW-Authenticate"] == "Bearer"


def test_what_aiohttp_refuses_is_a_problem_too() -> None:
    request = make_mocked_request("GET", "/api/v1/x")
    wrong = web.HTTPMethodNotAllowed("GET", {"POST", "PUT"})

    missing = problem_in(refused_by_status(request, web.HTTPNotFound()))
    not_allowed = refused_by_status(request, wrong)
    other = problem_in(refused_by_status(request, web.HTTPUpgradeRequired()))

    assert (missing.code, missing.detail) == ("not_found", "there is nothing at /api/v1/x")
    assert (not_allowed.status, not_allowed.headers["Allow"]) == (405, "POST, PUT")
    assert (other.status, other.code) == (426, "bad_request")
