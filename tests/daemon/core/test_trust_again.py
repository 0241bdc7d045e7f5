"""A machine that has joined before joins again, or somebody who says so."""

import pytest

from eaas.errors import Forbidden
from eaas.ids import NodeName
from eaas_daemon.core.trust import NotProved
from tests.daemon.core.tokens import joined, made, revoked, used
from tests.rig.builders import House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    return house


def told(house: House) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in house.changes.journal]


def test_who_has_joined_shows_that_it_is_the_same_machine(house: House) -> None:
    made(house)
    joined(house, node="n7")
    used(house, "nfirst")

    joined(house, "nsecond", node="n7", proof="nfirst")

    assert told(house) == [
        (
            "token.used",
            "n7 was let in again, by showing its credential nfirst, from 10.0.0.1 by token jtoken",
        )
    ]
    assert house.state.credentials["nsecond"].node_uid == "uid-n7"


@pytest.mark.parametrize("proof", [None, "nother", "nunheard"])
@pytest.mark.parametrize("name", ["n7", "another-name"])
def test_a_token_and_a_nodes_public_uid_do_not_make_another_machine_that_node(
    house: House, proof: str | None, name: str
) -> None:
    made(house)
    joined(house, node="n7")
    joined(house, "nother", node="n8")
    used(house, "nfirst")
    used(house, "nother")
    before = dict(house.state.credentials)

    with pytest.raises(NotProved, match=f"token create --role agent --node {name}"):
        joined(house, "nthiefs", node=name, node_uid="uid-n7", proof=proof)

    assert house.state.credentials == before


def test_a_node_of_the_controllers_own_host_is_not_taken_over_either(house: House) -> None:
    made(house)

    with pytest.raises(NotProved):
        joined(house)


def test_a_credential_that_was_revoked_proves_nothing_and_an_admins_token_for_the_node_does(
    house: House,
) -> None:
    made(house)
    joined(house, node="n7")
    used(house, "nfirst")
    revoked(house, "nfirst")
    with pytest.raises(NotProved):
        joined(house, "nsecond", node="n7", proof="nfirst")

    made(house, "jpermit", node=NodeName("n7"), uses=1)
    joined(house, "nthird", by="jpermit", node="n7")

    assert house.state.credentials["nthird"].standing(house.now) == "live"
    assert "again, since the token is for it, from 10.0.0.1" in told(house)[-1][1]


def test_a_token_for_one_machine_lets_no_other_join(house: House) -> None:
    made(house, node=NodeName("n7"))

    with pytest.raises(Forbidden, match="lets n7 join and no other machine"):
        joined(house, node="n8")


def test_a_node_whose_first_answer_was_lost_joins_by_the_same_token(house: House) -> None:
    made(house)
    joined(house, "nlost", node="n7")

    joined(house, node="n7")

    assert set(house.state.credentials) == {"jtoken", "nfirst"}
