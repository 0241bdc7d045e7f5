"""Every route there is, tried by everybody at the real door: a new one says here whose it is."""

import hashlib
from collections.abc import Iterator
from typing import Final

import pytest
from aiohttp import web

from eaas.tokens import Token
from tests.daemon.api.outside import Outside, from_outside
from tests.daemon.api.served import House
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
    "token": "unobodys",
    "booking": "1",
}

OPEN, SCRAPERS, EVERYBODY = "without a name", "programs of this host", "everybody"
OWNER, ADMIN = "the owner", "admins"
JOINING, NODES, AGENTS = "agents that join", "nodes", "agents that join, and nodes"
JOB: Final = "/api/v1/jobs/{id}"
POOL: Final = "/api/v1/pools/{pool}"
QUEUE: Final = "/api/v1/pools/{pool}/queues/{queue}"
NODE: Final = "/api/v1/nodes/{node}"

WHOSE: Final = {
    ("GET", "/healthz"): OPEN,
    ("HEAD", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("HEAD", "/readyz"): OPEN,
    ("GET", "/ca.pem"): OPEN,
    ("HEAD", "/ca.pem"): OPEN,
    ("GET", "/metrics"): SCRAPERS,
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
    ("GET", f"{JOB}/array"): EVERYBODY,
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
    ("GET", "/api/v1/bookings"): EVERYBODY,
    ("POST", "/api/v1/bookings"): ADMIN,
    ("GET", "/api/v1/bookings/{booking}"): EVERYBODY,
    ("DELETE", "/api/v1/bookings/{booking}"): OWNER,
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
    ("PATCH", POOL): ADMIN,
    ("PUT", f"{POOL}/nodes/{{node}}"): ADMIN,
    ("DELETE", f"{POOL}/nodes/{{node}}"): ADMIN,
    ("DELETE", POOL): ADMIN,
    ("GET", "/api/v1/tokens"): EVERYBODY,
    ("POST", "/api/v1/tokens"): ADMIN,  # from elsewhere; on the host members make their own
    ("POST", "/api/v1/tokens/{token}/revoke"): EVERYBODY,
    ("GET", "/api/v1/audit"): ADMIN,
    ("GET", "/agent/v1/link"): NODES,
    ("GET", "/agent/v1/logs"): NODES,
    ("GET", "/agent/v1/packs/{hash}"): NODES,
    ("POST", "/agent/v1/files/{request}"): NODES,
    ("GET", "/agent/v1/whoami"): AGENTS,
    ("POST", "/agent/v1/join"): JOINING,
    ("POST", "/agent/v1/renew"): NODES,
}

BODIES: Final[dict[tuple[str, str], object]] = {
    ("POST", "/api/v1/jobs"): {"image": "busybox"},
    ("POST", "/api/v1/jobs:batch"): {"jobs": [{"image": "busybox"}]},
    ("POST", "/api/v1/jobs:dry-run"): {"image": "busybox"},
    ("PATCH", JOB): {"priority": 1},
    ("POST", f"{JOB}/keep"): {"for_s": 60},
    ("PUT", "/api/v1/packs/{hash}"): b"x",
    ("POST", "/api/v1/pools"): {"name": "new"},
    ("PATCH", POOL): {"max_gpus_per_user": 2},
    ("POST", QUEUE): {},
    ("PATCH", QUEUE): {"priority": 1},
    ("PATCH", NODE): {"labels": {"a": "b"}},
    ("POST", f"{NODE}/clean-card"): {"card": "0"},
    ("POST", "/api/v1/bookings"): {"gpus": 1, "for_s": 3600, "user": "ann"},
    ("POST", "/api/v1/tokens"): {"role": "viewer"},
    ("POST", "/agent/v1/join"): {"node": "n9", "node_uid": "u9"},
}
PEOPLE: Final = ("viewer", "member", "owner", "admin")
MAY: Final = {
    OPEN: {"nobody", *PEOPLE, "join token", "node"},
    SCRAPERS: {"nobody", *PEOPLE},
    EVERYBODY: {*PEOPLE},
    OWNER: {"owner", "admin"},
    ADMIN: {"admin"},
    JOINING: {"join token"},
    NODES: {"node"},
    AGENTS: {"join token", "node"},
}
LOOKS: Final = ("GET", "HEAD")
CHANGES_NOTHING: Final = ("POST", "/api/v1/jobs:dry-run")


def routes_of(app: web.Application) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route of the router."""
    for route in app.router.routes():
        assert route.resource is not None
        yield route.method, route.resource.canonical


async def test_every_route_answers_those_it_is_for_and_refuses_the_others(house: House) -> None:
    assert set(routes_of(house.app)) == WHOSE.keys()
    await house.node("n1", a_card(0))
    await house.pool("default", "n1")
    await house.submit("ann")
    wrong: list[str] = []
    async with from_outside(house) as outside:
        tokens = {
            "nobody": None,
            "viewer": await outside.person("viewer", "vera"),
            "member": await outside.person("member", "bob"),
            "owner": await outside.person("member", "ann"),
            "admin": await outside.person("admin", "root"),
            "join token": await outside.join_token(),
            "node": await outside.node("n2"),
        }
        for method, path in WHOSE:
            for who, token in tokens.items():
                found = verdict(*await tried(outside, method, path, token))
                if found != expected(who, method, path):
                    wrong.append(f"{method} {path} by {who}: {found}")

    assert wrong == []


async def tried(
    outside: Outside, method: str, path: str, token: Token | None
) -> tuple[int, str | None]:
    """Ask the route and return the status, and the code of a refusal."""
    query = "?path=.&q=x" if path.startswith(JOB) else ""
    place = path.format_map(NAMES) + query
    status, body = await outside.ask(method, place, BODIES.get((method, path)), token=token)
    return status, body.get("code") if isinstance(body, dict) else None


def verdict(status: int, code: str | None) -> str:
    """Return what a status says about the caller; a HEAD has no body to say it in."""
    if status == 401:
        return "unauthenticated"
    return (code or "forbidden") if status == 403 else "served"


def expected(who: str, method: str, path: str) -> str:
    """Return what the caller must meet at this route."""
    whose = WHOSE[method, path]
    is_look = method in LOOKS or (method, path) == CHANGES_NOTHING
    if who in MAY[whose] and (is_look or who != "viewer"):
        return "served"
    if who == "nobody":
        return "unauthenticated"
    may_come_this_far = who == "member" or (who == "viewer" and is_look)
    return "not_yours" if whose == OWNER and may_come_this_far else "forbidden"


@pytest.mark.parametrize(
    "path", ["/agent/v1/link", "/agent/v1/logs", f"/agent/v1/packs/{PACK}", "/api/v1/nothing"]
)
async def test_what_a_stranger_asks_for_is_all_the_same(house: House, path: str) -> None:
    async with from_outside(house) as outside:
        status, problem = await outside.ask("GET", path)

    assert (status, problem["code"]) == (401, "unauthenticated")


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
