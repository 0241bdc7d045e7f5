import json

from msgspec.structs import replace

from tests.eaas.cli.conftest import Type
from tests.eaas.cli.test_system import STATUS
from tests.eaas.client.test_tokens import EVENT, MADE
from tests.rig.stand_in import StandIn

OPEN = replace(STATUS, address="https://big:7470")


def creates(controller: StandIn) -> None:
    controller.answers["GET /api/v1/status"] = OPEN
    controller.answers["POST /api/v1/tokens"] = MADE


def test_a_token_is_made_and_shown_with_what_to_type(typing: Type, controller: StandIn) -> None:
    creates(controller)
    said = typing("token", "create", "--role", "member", "--user", "ann")

    assert said.code == 0
    assert "eaas1.whole\n" in said.out
    assert "mini-eaas login https://big:7470" in said.out
    assert controller.asked[-1].body == {"role": "member", "user": "ann"}


def test_how_long_and_how_often_are_sent_as_they_were_typed(
    typing: Type, controller: StandIn
) -> None:
    creates(controller)
    for words in (
        ("--expires", "24h", "--uses", "2"),
        ("--expires", "never"),
        ("--expires", "0s"),
        ("--node", "n7"),
    ):
        assert typing("token", "create", "--role", "agent", *words).code == 0

    assert [asked.body for asked in controller.asked if asked.method == "POST"] == [
        {"role": "agent", "user": None, "expires_s": 86400.0, "uses": 2},
        {"role": "agent", "user": None, "expires_s": None},
        {"role": "agent", "user": None, "expires_s": 0.0},
        {"role": "agent", "user": None, "node": "n7"},
    ]


def test_nothing_is_made_that_could_not_be_shown(typing: Type, controller: StandIn) -> None:
    creates(controller)
    typing("token", "create", "--role", "agent")

    assert [asked.path for asked in controller.asked] == ["/api/v1/status", "/api/v1/tokens"]


def test_a_script_finds_the_token_in_json(typing: Type, controller: StandIn) -> None:
    creates(controller)
    said = typing("token", "create", "--role", "agent", "-o", "json")

    assert json.loads(said.out)["token"] == "eaas1.whole"


def test_a_role_that_is_none_is_refused_here(typing: Type, controller: StandIn) -> None:
    for words in (("--role", "node"), ("--role", "agent", "--uses", "0"), ()):
        assert typing("token", "create", *words).code == 2
    assert controller.asked == []


def test_tokens_are_listed_and_on_demand_all_of_them(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/tokens"] = {"items": [replace(MADE, token=None)], "next": None}
    row = typing("token", "list").out.splitlines()[1]

    assert row.split()[:4] == ["uabcdefgh", "member", "ann", "live"]
    assert typing("token", "list", "--all", "-o", "json").code == 0
    assert [asked.query for asked in controller.asked] == [{}, {"all": "1"}]


def test_a_token_is_revoked(typing: Type, controller: StandIn) -> None:
    controller.answers["POST /api/v1/tokens/uabcdefgh/revoke"] = replace(MADE, state="revoked")

    assert typing("token", "revoke", "uabcdefgh").out == "token uabcdefgh is revoked\n"


def test_all_tokens_of_a_person_are_revoked_at_once(typing: Type, controller: StandIn) -> None:
    mine = replace(MADE, token=None)
    also = replace(mine, id="usecond")
    bobs = replace(mine, id="ubobs", user="bob")
    controller.answers["GET /api/v1/tokens"] = {"items": [mine, bobs, also], "next": None}
    for each in (mine, also):
        ended = replace(each, state="revoked", made_and_live=("jother", "usecond"))
        controller.answers[f"POST /api/v1/tokens/{each.id}/revoke"] = ended

    said = typing("token", "revoke", "--user", "ann")

    assert said.out.splitlines() == [
        "token uabcdefgh of ann is revoked",
        "token usecond of ann is revoked",
        "tokens that were made with these still let in; to end them too:",
        "  mini-eaas token revoke jother",
    ]
    assert typing("token", "revoke", "--user", "").code == 2
    assert [typing("token", "revoke", *words).code for words in ((), ("x", "--user", "ann"))] == [
        2,
        2,
    ]


def test_a_user_who_has_no_token_is_refused_lest_a_slip_passes_for_done(
    typing: Type, controller: StandIn
) -> None:
    mine = replace(MADE, token=None)
    controller.answers["GET /api/v1/tokens"] = {"items": [mine], "next": None}

    eve, near = (typing("token", "revoke", "--user", name) for name in ("eve", "anne"))

    assert (eve.code, eve.out, eve.err) == (1, "", "eve has no token\n")
    assert (near.code, near.err) == (1, "anne has no token; did you mean ann?\n")


def test_a_user_whose_tokens_are_revoked_already_is_no_error(
    typing: Type, controller: StandIn
) -> None:
    gone = replace(MADE, token=None, state="revoked")
    controller.answers["GET /api/v1/tokens"] = {"items": [gone], "next": None}

    said = typing("token", "revoke", "--user", "ann")

    assert (said.code, said.out) == (0, "no token of ann lets in any more\n")
    assert controller.asked[-1].query == {"all": "1"}


def test_what_was_done_is_shown_newest_last(typing: Type, controller: StandIn) -> None:
    older = {**EVENT, "seq": 6, "text": "root made pool p"}
    controller.answers["GET /api/v1/audit"] = {"items": [EVENT, older], "next": None}
    first, last = typing("audit", "--limit", "2").out.splitlines()

    assert first.endswith("root made pool p")
    assert last.endswith("root made token uabcdefgh")
    assert controller.asked[-1].query == {"limit": "2"}
    assert typing("audit", "--limit", "0").code == 2


def test_who_ends_a_token_reads_how_to_end_those_that_were_made_with_it(
    typing: Type, controller: StandIn
) -> None:
    left = replace(MADE, state="revoked", made_and_live=("ufirst", "usecond"))
    controller.answers["POST /api/v1/tokens/uabcdefgh/revoke"] = left

    said = typing("token", "revoke", "uabcdefgh")

    assert said.out.splitlines()[2:] == [
        "  mini-eaas token revoke ufirst",
        "  mini-eaas token revoke usecond",
    ]
