import pytest

from eaas.errors import NotFound
from eaas.ids import NodeName
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Expel
from eaas_daemon.core.unseen import unseen, unseen_view
from tests.daemon.core.tokens import joined, made
from tests.rig.builders import ADMIN, ALICE, House

N1 = NodeName("n1")


@pytest.fixture
def house() -> House:
    house = House()
    made(house)
    return house


def test_a_machine_that_joined_and_never_ran_is_offline_and_says_what_to_do(house: House) -> None:
    given = joined(house)

    assert unseen(house.state, house.now) == {N1: given}
    view = unseen_view(given)
    assert (view.name, view.uid, view.state, view.cpus) == ("n1", "uid-n1", "Offline", None)
    assert [one.code for one in view.conditions] == ["never_seen"]
    assert "mini-eaas agent run" in view.conditions[0].text


def test_one_that_ran_or_is_let_in_no_more_is_not_waited_for(house: House) -> None:
    joined(house)
    joined(house, id="nsecond", node="n2")
    house.node("n1")
    house.do(e.RevokeToken(caller=ADMIN, id="nsecond"))

    assert unseen(house.state, house.now) == {}


def test_it_is_removed_like_a_node_and_only_by_an_admin(house: House) -> None:
    joined(house)

    with pytest.raises(Exception, match="only an admin"):
        house.do(e.RemoveNode(caller=ALICE, node="n1"))
    house.do(e.RemoveNode(caller=ADMIN, node="n1"))

    assert Expel(credential="nfirst") in house.effects
    assert unseen(house.state, house.now) == {}
    assert [line.text for line in house.changes.journal] == ["root removed n1"]
    with pytest.raises(NotFound):
        house.do(e.RemoveNode(caller=ADMIN, node="n1"))
