from typing import Any

import pytest
from msgspec.structs import replace

from eaas.errors import EaasError, Forbidden, Invalid, NotFound, Unauthenticated
from eaas.ids import NodeName, UserName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Expel, TurnAway
from eaas_daemon.core.step import step
from eaas_daemon.core.trust import KEPT_S, MAX_LIFE_S, NameTaken
from tests.daemon.core.tokens import joined, made, renewed, revoked, used
from tests.rig.builders import ADMIN, ALICE, House, a_card, a_hello, an_inventory

N1 = NodeName("n1")
VIEWER = e.Caller(user=UserName("alice"), role="viewer")
DAY_S = 86400.0


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def told(house: House) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in house.changes.journal]


# --- made


def test_a_token_carries_the_word_of_who_made_it_or_of_whom_an_admin_says(house: House) -> None:
    own = made(house, "uown", ALICE, role="member")
    for_bob = made(house, "ubob", role="viewer", user="bob", expires_at=house.now + 60)

    assert (own.user, own.created_by) == ("alice", "alice")
    assert (for_bob.user, for_bob.created_by) == ("bob", "root")
    assert told(house) == [
        (
            "token.created",
            "root made token ubob for viewer bob, until 1970-01-01 00:17:40 UTC",
        )
    ]


@pytest.mark.parametrize(
    ("caller", "but", "why"),
    [
        (ALICE, {"role": "agent"}, "only an admin lets machines join"),
        (ALICE, {"role": "admin"}, "you are a member and can't make a token for an admin"),
        (ALICE, {"role": "member", "user": "bob"}, "only an admin makes tokens for others"),
        (VIEWER, {"role": "member"}, "you are a viewer"),
        (replace(ALICE, credential="uaaaaaaab"), {"role": "member"}, "a token makes no other"),
    ],
)
def test_nobody_gives_away_more_than_they_have(
    house: House, caller: e.Caller, but: dict[str, Any], why: str
) -> None:
    with pytest.raises(Forbidden, match=why):
        made(house, "uaaaaaaaa", caller, **but)

    assert house.state.credentials == {}


@pytest.mark.parametrize(
    ("but", "field"),
    [
        ({"expires_at": 1000.0}, "expires_s"),
        ({"expires_at": 1001.0 + MAX_LIFE_S}, "expires_s"),
        ({"expires_at": 1e300}, "expires_s"),
        ({"uses": 0}, "uses"),
        ({"uses": 10_001}, "uses"),
        ({"role": "member", "uses": 3}, "uses"),
        ({"role": "member", "node": "n1"}, "node"),
        ({"node": "No Name"}, "node"),
        ({"user": "bob"}, "user"),
        ({"role": "member", "user": ""}, "user"),
        ({"role": "member", "user": "a b"}, "user"),
        ({"role": "member", "user": "a\x1b[2J"}, "user"),
        ({"role": "member", "user": "x" * 64}, "user"),
    ],
)
def test_a_wrong_token_is_refused_by_the_field_that_is_wrong(
    house: House, but: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        made(house, **but)

    assert [mistake.field for mistake in refusal.value.errors] == [field]


# --- revoked


def test_who_came_in_by_a_revoked_token_has_to_leave_and_it_is_told_once(house: House) -> None:
    made(house, "uown", ALICE, role="member")

    credential = revoked(house, "uown", ALICE)
    effects, lines = house.effects, told(house)
    again = revoked(house, "uown")

    assert (credential.revoked_at, credential.revoked_by) == (house.now, "alice")
    assert effects == (Expel(credential="uown"),)
    assert lines == [("token.revoked", "alice revoked token uown")]
    assert again == credential
    assert told(house) == []


@pytest.mark.parametrize("id", ["uroots", "nobodys"])
def test_nobody_learns_of_a_token_that_is_not_theirs(house: House, id: str) -> None:
    made(house, "uroots", role="admin")

    with pytest.raises(NotFound, match=f"there is no token '{id}' of yours"):
        revoked(house, id, ALICE)


def test_a_node_whose_credential_is_revoked_is_out_and_its_jobs_are_not_believed_ended(
    house: House,
) -> None:
    made(house, node=N1)
    joined(house)
    job = house.running(house.submit(gpus=1))

    revoked(house, "nfirst")

    node = house.state.nodes[N1]
    text = (
        "root revoked its token nfirst; to let it join again: mini-eaas token create --role agent "
        "--node n1"
    )
    assert set(house.effects) == {
        Expel(credential="nfirst"),
        TurnAway(session="s-n1", code="revoked", text=text),
    }
    assert node.revoked is not None
    assert (node.revoked.text, node.revoked.since) == (text, house.now)
    assert (node.session, node.offline) == (None, True)
    assert house.job(job.number).state is JobState.UNKNOWN
    assert house.submit().state is JobState.PENDING


def test_a_credential_that_a_thief_renewed_ends_with_the_one_that_was_stolen(
    house: House,
) -> None:
    made(house, node=N1)
    joined(house)
    renewed(house, "nfirst", "nthiefs")

    revoked(house, "nfirst")

    assert house.state.credentials["nthiefs"].standing(house.now) == "revoked"
    assert house.state.nodes[N1].revoked is not None


def test_a_node_that_joins_again_and_says_hello_is_not_revoked_any_more(house: House) -> None:
    made(house, node=N1)
    joined(house)
    job = house.running(house.submit())
    revoked(house, "nfirst")

    joined(house, "nsecond")
    hello = a_hello("n1", an_inventory(a_card(0)))
    house.do(e.AgentSaidHello(session="s2", address=None, hello=hello, credential="nsecond"))

    assert house.state.nodes[N1].revoked is None
    assert house.job(job.number).state is JobState.RUNNING


# --- joining


def test_a_token_remembers_by_which_other_its_maker_came_in(house: House) -> None:
    made(house, "uadmin", role="admin")
    made(house, "uchild", replace(ADMIN, credential="uadmin"), role="member", user="bob")

    assert house.state.credentials["uchild"].made_with == "uadmin"
    assert house.state.credentials["uadmin"].made_with is None


def test_every_use_of_a_join_token_is_counted_and_told_with_node_and_address(
    house: House,
) -> None:
    made(house, uses=2)

    credential = joined(house, node="n7")

    assert (credential.role, credential.node, credential.node_uid) == ("node", "n7", "uid-n7")
    assert house.state.credentials["jtoken"].uses_left == 1
    assert told(house) == [
        (
            "token.used",
            "n7 was let in from 10.0.0.1 by token jtoken, which lets 1 more in",
        )
    ]


@pytest.mark.parametrize(
    ("but", "later_s", "why"),
    [
        ({"uses": 1}, 0, "has been used as often as it may be"),
        ({"expires_at": 1060.0}, 60, "expired at"),
    ],
)
def test_a_token_that_is_over_lets_no_machine_join(
    house: House, but: dict[str, Any], later_s: float, why: str
) -> None:
    made(house, **but)
    joined(house, node="n7")
    house.now += later_s

    with pytest.raises(Unauthenticated, match=why):
        joined(house, "nsecond", node="n8")


@pytest.mark.parametrize(
    ("role", "node", "kind"),
    [("member", "n7", Forbidden), ("agent", "No Name", Invalid)],
)
def test_only_a_token_for_agents_lets_a_machine_join_and_only_under_a_name(
    house: House, role: str, node: str, kind: type[EaasError]
) -> None:
    made(house, role=role)

    with pytest.raises(kind):
        joined(house, node=node)


def test_an_unknown_token_lets_no_machine_join(house: House) -> None:
    with pytest.raises(Unauthenticated, match="does not know token 'jtoken'"):
        joined(house)


@pytest.mark.parametrize(
    ("busy", "connected", "why"),
    [
        (False, True, "another agent is connected as n1; give this one --name"),
        (True, False, "jobs of another agent named n1 may still run"),
    ],
)
def test_the_name_of_another_machine_is_not_given_away(
    house: House, busy: bool, connected: bool, why: str
) -> None:
    made(house)
    if busy:
        house.submit()
    if not connected:
        house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))
    other = e.JoinNode(
        token="jtoken", node="n1", node_uid="other", address=None, id="n1", secret_hash=b""
    )

    with pytest.raises(NameTaken, match=why):
        house.do(other)

    assert house.state.credentials["jtoken"].used_at is None


# --- renewed


def test_a_node_does_not_join_anew_under_another_name(house: House) -> None:
    made(house)
    house.node("n1")
    uid = house.state.nodes[NodeName("n1")].uid

    with pytest.raises(NameTaken, match="is the node n1 and calls itself n9 now"):
        house.do(
            e.JoinNode(
                token="jtoken",
                id="nother",
                secret_hash=b"x",
                node="n9",
                node_uid=uid,
                address="10.0.0.9",
            )
        )


def test_the_old_credential_is_good_until_the_new_one_was_used(house: House) -> None:
    made(house, node=N1)
    joined(house)
    used(house, "nfirst")
    house.now += DAY_S
    renewed(house, "nfirst", "nsecond")
    both = [house.state.credentials[id].refusal(house.now) for id in ("nfirst", "nsecond")]

    used(house, "nsecond")

    assert both == [None, None]
    assert set(house.state.credentials) == {"jtoken", "nsecond"}
    assert house.changes.gone_credentials == ("nfirst",)


def test_a_credential_whose_answer_was_lost_makes_room_for_the_next(house: House) -> None:
    made(house, node=N1)
    joined(house)
    used(house, "nfirst")
    renewed(house, "nfirst", "nlost")
    renewed(house, "nfirst", "nthird")

    assert set(house.state.credentials) == {"jtoken", "nfirst", "nthird"}


def test_a_first_use_is_noted_once(house: House) -> None:
    made(house, "uown", role="member")
    used(house, "uown")
    first = told(house)
    house.do(e.CredentialUsed(id="uown", address="10.0.0.2"))
    house.do(e.CredentialUsed(id="nobodys", address="10.0.0.2"))

    text = "token uown was used for the first time, from 10.0.0.1"
    assert first == [("token.first_used", text)]
    assert house.state.credentials["uown"].used_from == "10.0.0.1"
    assert house.changes.empty


# --- over


def test_who_came_in_by_a_token_leaves_when_the_clock_passes_its_end(house: House) -> None:
    made(house, "uown", role="member", expires_at=house.now + 1)
    house.do(e.Tick())
    early = house.effects
    house.now += 1
    house.do(e.Tick())
    due = house.effects
    house.now += 1
    house.do(e.Tick())

    assert (early, due, house.effects) == ((), (Expel(credential="uown"),), ())


def test_who_was_due_to_leave_in_a_step_that_was_not_stored_leaves_in_the_next(
    house: House,
) -> None:
    house.do(e.Tick())
    made(house, "uown", role="member", expires_at=house.now + 1)
    house.now += 1

    step(house.state, (e.Tick(),), house.now)
    house.state.undo_to(0)
    house.state.settle()
    house.now += 0.25
    house.do(e.Tick())

    assert house.effects == (Expel(credential="uown"),)


def test_what_has_long_been_over_is_forgotten(house: House) -> None:
    made(house, "uexpired", role="member", expires_at=house.now + 1)
    made(house, "urevoked", role="member")
    made(house, "ulive", role="member")
    revoked(house, "urevoked")
    house.now += KEPT_S
    house.do(e.Tick())
    kept = set(house.state.credentials)
    house.now += 2
    house.do(e.Tick())

    assert kept == {"uexpired", "urevoked", "ulive"}
    assert set(house.state.credentials) == {"ulive"}


def test_a_removed_node_takes_its_credentials_with_it(house: House) -> None:
    made(house)
    made(house, "jfirst", node=N1)
    joined(house, by="jfirst")
    joined(house, "nother", node="n7")

    house.do(e.RemoveNode(caller=ADMIN, node="n1"))

    assert set(house.state.credentials) == {"jtoken", "jfirst", "nother"}
    assert Expel(credential="nfirst") in house.effects
