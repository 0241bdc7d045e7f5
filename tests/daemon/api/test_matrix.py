"""Every route there is, tried by everybody: a new one has to say here whose it is."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aiohttp import web

from tests.daemon.api.served import House, a_house
from tests.rig.builders import a_card

PACK: Final = "sha256:" + hashlib.sha256(b"x").hexdigest()
NAMES: Final = {
    "id": "1",
    "n": "1",
    "pool": "default",
    "queue": "default",
    "node": "n1",
    "hash": PACK,
    "request": "r1",
}

OPEN, EVERYBODY, OWNER, ADMIN = "without a name", "everybody", "the owner", "admins"
JOB: Final = "/api/v1/jobs/{id}"
POOL: Final = "/api/v1/pools/{pool}"
QUEUE: Final = "/api/v1/pools/{pool}/queues/{queue}"
NODE: Final = "/api/v1/nodes/{node}"

WHOSE: Final = {
    ("GET", "/healthz"): OPEN,
    ("HEAD", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("HEAD", "/readyz"): OPEN,
    ("GET", "/metrics"): EVERYBODY,
    ("GET", "/api/v1/status"): EVERYBODY,
    ("GET", "/api/v1/events"): EVERYBODY,
    ("GET", "/api/v1/folders"): EVERYBODY,
    ("GET", "/api/v1/stream"): EVERYBODY,
    ("GET", "/api/v1/jobs"): EVERYBODY,
    ("POST", "/api/v1/jobs"): EVERYBODY,
    ("POST", "/api/v1/jobs:batch"): EVERYBODY,
    ("POST", "/api/v1/jobs:dry-run"): EVERYBODY,
    ("GET", JOB): EVERYBODY,
    ("GET", f"{JOB}/why"): EVERYBODY,
    ("GET", f"{JOB}/files"): OWNER,
    ("GET", f"{JOB}/attempts/{{n}}/log"): OWNER,
    ("GET", f"{JOB}/attempts/{{n}}/log/search"): OWNER,
    ("GET", f"{JOB}/attempts/{{n}}/log/times"): OWNER,
    ("GET", f"{JOB}/samples"): EVERYBODY,
    ("PATCH", JOB): OWNER,
    ("POST", f"{JOB}/top"): ADMIN,
    ("POST", f"{JOB}/cancel"): OWNER,
    ("POST", f"{JOB}/retry"): OWNER,
    ("POST", f"{JOB}/keep"): OWNER,
    ("HEAD", "/api/v1/packs/{hash}"): EVERYBODY,
    ("PUT", "/api/v1/packs/{hash}"): EVERYBODY,
    ("GET", "/api/v1/queues"): EVERYBODY,
    ("GET", QUEUE): EVERYBODY,
    ("POST", QUEUE): ADMIN,
    ("PATCH", QUEUE): ADMIN,
    ("DELETE", QUEUE): ADMIN,
    ("GET", "/api/v1/nodes"): EVERYBODY,
    ("GET", "/api/v1/cards"): EVERYBODY,
    ("GET", NODE): EVERYBODY,
    ("GET", f"{NODE}/samples"): EVERYBODY,
    ("GET", "/api/v1/samples"): EVERYBODY,
    ("PATCH", NODE): ADMIN,
    ("POST", f"{NODE}/confirm-dead"): ADMIN,
    ("POST", f"{NODE}/clean-card"): ADMIN,
    ("DELETE", NODE): ADMIN,
    ("GET", "/api/v1/pools"): EVERYBODY,
    ("POST", "/api/v1/pools"): ADMIN,
    ("GET", POOL): EVERYBODY,
    ("PUT", f"{POOL}/nodes/{{node}}"): ADMIN,
    ("DELETE", f"{POOL}/nodes/{{node}}"): ADMIN,
    ("DELETE", POOL): ADMIN,
    ("GET", "/agent/v1/link"): ADMIN,
    ("GET", "/agent/v1/logs"): ADMIN,
    ("GET", "/agent/v1/packs/{hash}"): ADMIN,
    ("POST", "/agent/v1/files/{request}"): ADMIN,
}

BODIES: Final[dict[tuple[str, str], object]] = {
    ("POST", "/api/v1/jobs"): {"image": "busybox"},
    ("POST", "/api/v1/jobs:batch"): {"jobs": [{"image": "busybox"}]},
    ("POST", "/api/v1/jobs:dry-run"): {"image": "busybox"},
    ("PATCH", JOB): {"priority": 1},
    ("POST", f"{JOB}/keep"): {"for_s": 60},
    ("PUT", "/api/v1/packs/{hash}"): b"x",
    ("POST", "/api/v1/pools"): {"name": "new"},
    ("POST", QUEUE): {},
    ("PATCH", QUEUE): {"priority": 1},
    ("PATCH", NODE): {"labels": {"a": "b"}},
    ("POST", f"{NODE}/clean-card"): {"card": "0"},
}
CALLERS: Final = {"none": None, "other": "bob", "owner": "ann", "admin": "root"}
MAY: Final = {
    OPEN: {"none", "other", "owner", "admin"},
    EVERYBODY: {"other", "owner", "admin"},
    OWNER: {"owner", "admin"},
    ADMIN: {"admin"},
}


def routes_of(app: web.Application) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route of the router."""
    for route in app.router.routes():
        assert route.resource is not None
        yield route.method, route.resource.canonical


async def test_every_route_answers_those_it_is_for_and_refuses_the_others(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        assert set(routes_of(house.app)) == WHOSE.keys()
        await house.node("n1", a_card(0))
        await house.pool("default", "n1")
        await house.submit("ann")
        wrong: list[str] = []
        for (method, path), whose in WHOSE.items():
            for name, user in CALLERS.items():
                status, code = await tried(house, method, path, user)
                if (found := verdict(status, code)) != expected(name, whose):
                    wrong.append(f"{method} {path} by {name}: {found}")

    assert wrong == []


async def tried(house: House, method: str, path: str, user: str | None) -> tuple[int, str | None]:
    """Ask the route and return the status, and the code of a refusal."""
    query = "?path=.&q=x" if path.startswith(JOB) else ""
    place = path.format_map(NAMES) + query
    status, body = await house.ask(method, place, BODIES.get((method, path)), user=user)
    return status, body.get("code") if isinstance(body, dict) else None


def verdict(status: int, code: str | None) -> str:
    """Return what a status says about the caller."""
    if status == 401:
        return "unauthenticated"  # a HEAD has no body to say it in
    return str(code) if status == 403 else "served"


def expected(name: str, whose: str) -> str:
    """Return what the caller must meet at a route of these people."""
    if name in MAY[whose]:
        return "served"
    if name == "none":
        return "unauthenticated"
    return "not_yours" if whose == OWNER else "forbidden"


async def test_nobody_learns_from_a_refusal_whether_a_job_exists_that_does_not(
    house: House,
) -> None:
    await house.pool()
    paths = [path for _, path in WHOSE if path.startswith(JOB)]
    answers = {
        (await house.ask(method, path.format_map({**NAMES, "id": id}) + "?path=.&q=x", body))[0]
        for (method, path), body in ((key, BODIES.get(key)) for key in WHOSE)
        if path in paths and not path.endswith("top")
        for id in ("7", "42[7]", "-1", "0x1", "99999999999999999999")
    }

    assert answers == {404}
