from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from eaas.tokens import Token, fingerprint, read_token
from tests.daemon.api.outside import Outside, from_outside
from tests.daemon.api.served import House

JOIN, RENEW = "/agent/v1/join", "/agent/v1/renew"
BODY = {"node": "n1", "node_uid": "uid-n1"}


async def given(outside: Outside, path: str, token: object, body: object = None) -> Token:
    """Return the credential that the controller gives."""
    status, view = await outside.ask("POST", path, body, token=token)
    assert status in (200, 201), view
    return read_token(view["credential"])


async def test_anybody_is_told_the_authority_that_tokens_name(house: House) -> None:
    async with from_outside(house) as outside:
        status, pem = await outside.ask("GET", "/ca.pem")
        token = await outside.join_token()

    certificate = x509.load_pem_x509_certificate(pem)
    assert status == 200
    assert fingerprint(certificate.public_bytes(Encoding.DER)) == token.ca
    assert b"PRIVATE" not in pem


async def test_an_agent_joins_by_a_token_and_gets_one_of_its_own(house: House) -> None:
    async with from_outside(house) as outside:
        by = await outside.join_token()
        status, view = await outside.ask("POST", JOIN, BODY, token=by)
        own = read_token(view["credential"])

    assert (status, view["node"], view["renew_after_s"]) == (201, "n1", 86400.0)
    assert (own.kind, own.ca) == ("node", by.ca)
    kept = house.state.credentials[own.id]
    assert (kept.node, kept.node_uid, kept.secret_hash) == ("n1", "uid-n1", own.secret_hash)
    line = (await house.parts.reader.newest(1))[0]
    assert (line.kind, line.node) == ("token.used", "n1")
    assert f"let in from 127.0.0.1 by token {by.id}" in line.text


async def test_a_credential_is_renewed_and_the_old_one_is_good_until_then(house: House) -> None:
    async with from_outside(house) as outside:
        first = await given(outside, JOIN, await outside.join_token(), BODY)
        await given(outside, RENEW, first)
        second = await given(outside, RENEW, first)  # the answer before was lost
        third = await given(outside, RENEW, second)
        status, problem = await outside.ask("POST", RENEW, token=first)

    assert (status, problem["code"]) == (401, "unauthenticated")
    assert {first.id, second.id, third.id} & set(house.state.credentials) == {second.id, third.id}


@pytest.mark.parametrize(
    ("path", "who", "status", "code"),
    [
        (JOIN, "node", 403, "forbidden"),
        (JOIN, "person", 403, "forbidden"),
        (JOIN, "nobody", 401, "unauthenticated"),
        (RENEW, "join", 403, "forbidden"),
        (RENEW, "person", 403, "forbidden"),
        (RENEW, "nobody", 401, "unauthenticated"),
    ],
)
async def test_to_join_takes_a_join_token_and_to_renew_what_came_of_it(
    house: House, path: str, who: str, status: int, code: str
) -> None:
    async with from_outside(house) as outside:
        tokens: dict[str, Any] = {
            "node": await outside.node(),
            "person": await outside.person(role="admin"),
            "join": await outside.join_token(),
            "nobody": outside.token("join"),
        }
        found, problem = await outside.ask("POST", path, BODY, token=tokens[who])

    assert (found, problem["code"]) == (status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"node": "No Name", "node_uid": "u"}, 422, "invalid"),
        ({"node": "n1"}, 422, "invalid"),
        ({**BODY, "role": "admin"}, 422, "invalid"),
        ({"node": "n1", "node_uid": "other"}, 409, "name_taken"),
    ],
)
async def test_a_wrong_joining_uses_nothing_up(
    house: House, body: dict[str, str], status: int, code: str
) -> None:
    await house.node("n1")
    async with from_outside(house) as outside:
        token = await outside.join_token(uses=1)
        found, problem = await outside.ask("POST", JOIN, body, token=token)

    assert (found, problem["code"]) == (status, code)
    assert house.state.credentials[token.id].uses_left == 1


async def test_a_join_token_that_is_used_up_or_expired_is_refused(house: House) -> None:
    async with from_outside(house) as outside:
        once = await outside.join_token(uses=1)
        short = await outside.join_token(expires_at=house.clock.at + 60)
        await given(outside, JOIN, once, BODY)
        second = await outside.ask("POST", JOIN, BODY, token=once)
        house.clock.at += 60
        late = await outside.ask("POST", JOIN, BODY, token=short)

    assert [status for status, _ in (second, late)] == [401, 401]
    assert "as often as it may be" in second[1]["detail"]
    assert "expired at" in late[1]["detail"]


async def test_an_agent_may_ask_whether_it_would_be_let_in_and_uses_nothing_up(
    house: House,
) -> None:
    async with from_outside(house) as outside:
        token = await outside.join_token(uses=1, expires_at=90000.0)
        node = await outside.node("n1")
        before = house.state.credentials[token.id]
        joins = await outside.ask("GET", "/agent/v1/whoami", token=token)
        speaks = await outside.ask("GET", "/agent/v1/whoami", token=node)

    assert (joins[0], speaks[0]) == (200, 200)
    told = {key: joins[1][key] for key in ("role", "token", "uses_left", "expires_at")}
    assert told == {
        "role": "agent",
        "token": token.id,
        "uses_left": 1,
        "expires_at": "1970-01-02T01:00:00.000Z",
    }
    assert (speaks[1]["role"], speaks[1]["node"], speaks[1]["protocol_max"]) == ("node", "n1", 1)
    assert house.state.credentials[token.id] == before
