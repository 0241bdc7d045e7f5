from typing import Any

from eaas.client import Client
from eaas.token_views import TokenView
from tests.rig.stand_in import AT, StandIn

MADE = TokenView(
    id="uabcdefgh",
    role="member",
    state="live",
    token="eaas1.whole",
    user="ann",
    node=None,
    created_at=AT,
    created_by="root",
    expires_at=None,
    uses_left=None,
    used_at=None,
    used_from=None,
    revoked_at=None,
    revoked_by=None,
)
EVENT: dict[str, Any] = {
    "seq": 7,
    "at": AT,
    "kind": "token.created",
    "job": None,
    "node": None,
    "user": "root",
    "text": "root made token uabcdefgh",
}


async def test_tokens_are_listed_and_on_demand_those_too_that_are_over(
    client: Client, controller: StandIn
) -> None:
    controller.answers["GET /api/v1/tokens"] = {"items": [MADE], "next": None}

    assert await client.tokens() == await client.tokens(all=True) == [MADE]
    assert [asked.query for asked in controller.asked] == [{}, {"all": "1"}]


async def test_what_is_not_said_of_a_new_token_is_the_controllers_to_choose(
    client: Client, controller: StandIn
) -> None:
    controller.answers["POST /api/v1/tokens"] = MADE

    assert (await client.create_token("agent")).token == "eaas1.whole"
    await client.create_token("member", user="ann", expires_s=None, uses=None)
    await client.create_token("viewer", expires_s=60.0, uses=2)

    assert [asked.body for asked in controller.asked] == [
        {"role": "agent", "user": None},
        {"role": "member", "user": "ann", "expires_s": None, "uses": None},
        {"role": "viewer", "user": None, "expires_s": 60.0, "uses": 2},
    ]


async def test_a_token_is_revoked_by_its_public_part(client: Client, controller: StandIn) -> None:
    controller.answers["POST /api/v1/tokens/uabcdefgh/revoke"] = MADE

    assert await client.revoke_token("uabcdefgh") == MADE


async def test_what_was_done_comes_newest_first(client: Client, controller: StandIn) -> None:
    controller.answers["GET /api/v1/audit"] = {"items": [EVENT], "next": None}

    (event,) = await client.audit(limit=5)

    assert event.text == "root made token uabcdefgh"
    assert controller.asked[-1].query == {"limit": "5"}
