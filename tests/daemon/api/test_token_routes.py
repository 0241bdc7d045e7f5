from typing import Any

import pytest
from msgspec.structs import replace

from eaas.tokens import Token, read_token
from eaas_daemon.core.events import Caller
from tests.daemon.api.outside import from_outside
from tests.daemon.api.served import House
from tests.rig.builders import ADMIN

TOKENS = "/api/v1/tokens"
DAY_S = 86400.0


async def made(house: House, user: str = "root", **body: Any) -> dict[str, Any]:
    status, view = await house.ask("POST", TOKENS, body, user=user)
    assert status == 201, view
    assert isinstance(view, dict)
    return view


async def listed(house: House, user: str = "root", query: str = "") -> list[dict[str, Any]]:
    status, page = await house.ask("GET", TOKENS + query, user=user)
    assert status == 200, page
    return list(page["items"])


async def test_only_the_answer_that_makes_a_token_shows_it(house: House) -> None:
    view = await made(house, role="member", user="bob")

    token = read_token(view["token"])
    kept = house.state.credentials[token.id]
    assert (view["id"], view["user"], view["state"]) == (token.id, "bob", "live")
    assert kept.secret_hash == token.secret_hash
    assert [each["token"] for each in await listed(house)] == [None]
    database = (house.parts.home / "controller.db").read_bytes()
    log = house.parts.home / "controller.db-wal"
    assert token.secret.encode() not in database + log.read_bytes()


@pytest.mark.parametrize(
    ("role", "lasts_s", "uses"), [("agent", DAY_S, 20), ("member", 90 * DAY_S, None)]
)
async def test_what_is_not_said_of_a_token_is_a_day_for_agents_and_90_for_people(
    house: House, role: str, lasts_s: float, uses: int | None
) -> None:
    view = await made(house, role=role)

    kept = house.state.credentials[view["id"]]
    assert (kept.expires_at, kept.uses_left) == (house.clock.at + lasts_s, uses)


async def test_a_token_lasts_as_long_as_is_said_or_for_good(house: House) -> None:
    short = await made(house, role="agent", expires_s=60, uses=None)
    long = await made(house, role="viewer", expires_s=None)

    assert short["expires_at"] == "1970-01-01T00:17:40.000Z"
    assert (short["uses_left"], long["expires_at"]) == (None, None)


@pytest.mark.parametrize(
    ("user", "body", "status", "code"),
    [
        ("ann", {"role": "agent"}, 403, "forbidden"),
        ("ann", {"role": "admin"}, 403, "forbidden"),
        ("ann", {"role": "member", "user": "bob"}, 403, "forbidden"),
        ("root", {"role": "owner"}, 422, "invalid"),
        ("root", {"role": "agent", "expires_s": -1}, 422, "invalid"),
        ("root", {"role": "agent", "expires_s": 1e300}, 422, "invalid"),
        ("root", {"role": "agent", "uses": 0}, 422, "invalid"),
        ("root", {"role": "member", "id": "umine"}, 422, "invalid"),
        ("root", {"role": "member", "secret_hash": "x"}, 422, "invalid"),
    ],
)
async def test_a_token_that_may_not_be_is_not_made(
    house: House, user: str, body: dict[str, Any], status: int, code: str
) -> None:
    found, problem = await house.ask("POST", TOKENS, body, user=user)

    assert (found, problem["code"]) == (status, code)
    assert house.state.credentials == {}


async def test_admins_see_every_token_and_others_their_own_newest_first(house: House) -> None:
    first = await made(house, "ann", role="member")
    house.clock.at += 1
    second = await made(house, role="admin")

    assert [each["id"] for each in await listed(house)] == [second["id"], first["id"]]
    assert [each["id"] for each in await listed(house, "ann")] == [first["id"]]
    assert await listed(house, "bob") == []


async def test_what_lets_nobody_in_and_what_nodes_have_is_shown_on_demand(house: House) -> None:
    async with from_outside(house) as outside:
        node = await outside.node()
    view = await made(house, "ann", role="viewer")
    await house.ask("POST", f"{TOKENS}/{view['id']}/revoke", user="ann")

    shown = {each["id"] for each in await listed(house)}
    states = {each["id"]: each["state"] for each in await listed(house, query="?all=1")}

    assert not {node.id, view["id"]} & shown
    assert (states[node.id], states[view["id"]]) == ("live", "revoked")


async def test_a_revoked_token_says_by_whom_and_when(house: House) -> None:
    view = await made(house, "ann", role="member")

    status, revoked = await house.ask("POST", f"{TOKENS}/{view['id']}/revoke", user="root")

    assert status == 200
    assert (revoked["state"], revoked["revoked_by"]) == ("revoked", "root")
    assert revoked["revoked_at"] == "1970-01-01T00:16:40.000Z"


async def test_a_token_of_somebody_else_is_not_there(house: House) -> None:
    view = await made(house, "ann", role="member")

    answers = [
        await house.ask("POST", f"{TOKENS}/{id}/revoke", user="bob") for id in (view["id"], "x")
    ]

    assert [status for status, _ in answers] == [404, 404]
    assert house.state.credentials[view["id"]].revoked_at is None


async def test_the_audit_tells_admins_who_did_what_to_the_pool_page_by_page(
    house: House,
) -> None:
    await house.pool("lab")
    await house.pool()
    await house.submit()
    view = await made(house, "ann", role="member")

    _, first = await house.ask("GET", "/api/v1/audit?limit=2", user="root")
    rest_of = f"/api/v1/audit?limit=2&before={first['next']}"
    _, rest = await house.ask("GET", rest_of, user="root")
    status, problem = await house.ask("GET", "/api/v1/audit", user="ann")

    assert [(line["kind"], line["user"]) for line in first["items"]] == [
        ("token.created", "ann"),
        ("pool.created", "root"),
    ]
    assert view["id"] in first["items"][0]["text"]
    assert [line["kind"] for line in rest["items"]] == ["pool.created"]
    assert rest["next"] is None
    assert (status, problem["code"]) == (403, "forbidden")


async def test_who_ends_a_token_is_told_which_of_its_making_still_let_in(house: House) -> None:
    parent = await house.token("person", role="admin", user="root")
    child = await house.token(caller=parent_of(parent), user="bob")
    over = await house.token(caller=parent_of(parent), user="bob")
    free = await house.token(user="bob")
    await house.ask("POST", f"{TOKENS}/{over.id}/revoke", user="root")

    _, revoked = await house.ask("POST", f"{TOKENS}/{parent.id}/revoke", user="root")
    live = await listed(house)

    assert revoked["made_and_live"] == [child.id]
    assert {token["id"]: token["made_with"] for token in live} == {
        child.id: parent.id,
        free.id: None,
    }
    assert live[0]["made_and_live"] == []


def parent_of(token: Token) -> Caller:
    return replace(ADMIN, credential=token.id)
