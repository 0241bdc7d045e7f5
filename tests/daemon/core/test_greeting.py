from typing import Any

import pytest
from msgspec.structs import replace

from eaas.ids import NodeName, UserName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.effects import Effect, Greet, TurnAway
from eaas_daemon.core.model import Node
from tests.rig.builders import ADMIN, ALICE, House, a_card, a_hello, an_inventory

N1 = NodeName("n1")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def greet(house: House, session: str, node: str = "n1", **but: Any) -> tuple[Effect, ...]:
    hello = a_hello(node, an_inventory(a_card(0, node=node)), **but)
    house.do(e.AgentSaidHello(session=session, address="10.0.0.1", hello=hello))
    return house.effects


def cut(house: House) -> None:
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))


def kinds(house: House) -> list[str]:
    return [line.kind for line in house.changes.journal]


def n1(house: House) -> Node:
    return house.state.nodes[N1]


def test_a_new_node_is_welcomed_into_no_pool(house: House) -> None:
    effects = greet(house, "s", node="n9")

    assert effects == (Greet(node=NodeName("n9"), session="s"),)
    assert kinds(house) == ["node.joined"]


def test_an_agent_that_reconnects_replaces_its_own_old_connection(house: House) -> None:
    effects = greet(house, "s2")

    cut(house)  # the old connection's end is noticed late

    assert effects == (Greet(node=N1, session="s2"),)
    assert house.state.nodes[N1].session == "s2"


@pytest.mark.parametrize(
    ("but", "code"),
    [
        ({"instance": "clone"}, "twin"),
        ({"node_uid": "other"}, "name_taken"),
        ({"protocol_min": 2, "protocol_max": 3}, "needs_upgrade"),
    ],
)
def test_a_stranger_is_turned_away_while_the_node_is_connected(
    house: House, but: dict[str, Any], code: str
) -> None:
    (turned_away,) = greet(house, "s2", **but)

    assert isinstance(turned_away, TurnAway)
    assert (turned_away.session, turned_away.code) == ("s2", code)
    assert house.state.nodes[N1].session == "s-n1"


def test_a_node_that_calls_itself_something_else_is_no_second_node(house: House) -> None:
    cut(house)

    (turned_away,) = greet(house, "s2", node="n2", node_uid="uid-n1")

    assert isinstance(turned_away, TurnAway)
    assert turned_away.code == "renamed"
    assert "is the node n1 and calls itself n2 now" in turned_away.text
    assert "mini-eaas node remove n1" in turned_away.text
    assert set(house.state.nodes) == {N1}
    assert kinds(house) == ["node.refused"]

    house.do(e.RemoveNode(caller=ADMIN, node="n1"))
    assert greet(house, "s3", node="n2", node_uid="uid-n1") == (
        Greet(node=NodeName("n2"), session="s3"),
    )


def test_a_name_that_is_none_is_refused(house: House) -> None:
    (turned_away,) = greet(house, "s2", node="No Name")

    assert isinstance(turned_away, TurnAway)
    assert turned_away.code == "bad_name"


def test_another_machine_may_take_over_a_silent_nodes_name_once_nothing_is_placed_there(
    house: House,
) -> None:
    job = house.submit()
    cut(house)
    (turned_away,) = greet(house, "s2", node_uid="other")
    assert isinstance(turned_away, TurnAway)
    assert turned_away.code == "name_taken"

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))
    house.do(e.Cancel(caller=ALICE, number=job.number))

    assert greet(house, "s3", node_uid="other") == (Greet(node=N1, session="s3"),)
    assert house.state.nodes[N1].uid == "other"


def test_an_old_agent_shows_as_needing_an_upgrade_until_it_has_got_one(house: House) -> None:
    cut(house)
    greet(house, "s2", protocol_min=0, protocol_max=0)
    older = house.state.nodes[N1].needs_upgrade
    greet(house, "s3", protocol_min=2, protocol_max=3)
    newer = house.state.nodes[N1].needs_upgrade
    assert (older or "").endswith(
        "is older than this controller and speaks another protocol; upgrade it"
    )
    assert (newer or "").endswith("speaks another protocol; upgrade the controller")

    greet(house, "s4")

    assert house.state.nodes[N1].needs_upgrade is None


def test_a_card_released_before_the_greeting_is_offered_by_what_the_greeting_says(
    house: House,
) -> None:
    house.ended(house.running(house.submit(gpus=1)), finished_at=house.now + 3600)
    waiting = house.submit(gpus=1)
    assert waiting.state is JobState.PENDING

    greet(house, "s2")

    assert house.job(waiting.number).state is JobState.STARTING


def test_a_twin_and_the_first_are_both_named_with_what_to_do_about_them(house: House) -> None:
    (turned_away,) = greet(house, "s2", instance="clone-of-it")

    assert isinstance(turned_away, TurnAway)
    text = (
        "two agents have the identity of n1: one at this host (instance tance-n1), another came "
        "from 10.0.0.1 (instance ne-of-it); its jobs run on, and it takes no new work until an "
        "admin says that this is settled: mini-eaas node resume n1"
    )
    assert turned_away.text == (
        f"{text}; on the copy, stop the agent, remove its state folder (rm -r) and let it join "
        "anew: mini-eaas agent join"
    )
    twin = n1(house).twin
    assert twin is not None
    assert (twin.text, twin.since, twin.is_sure) == (text, house.now, False)


def test_a_node_with_a_twin_takes_no_new_work_and_its_jobs_run_on(house: House) -> None:
    running = house.running(house.submit(gpus=1))
    greet(house, "s2", instance="clone")
    house.beat("n1", a_card(0))

    waiting = house.submit()

    assert kinds_of_twin(house) == 0
    assert waiting.state is JobState.PENDING
    assert house.job(running.number).state is JobState.RUNNING
    assert n1(house).session == "s-n1"


def kinds_of_twin(house: House) -> int:
    """Return how often the last step told of a twin."""
    return kinds(house).count("node.twin")


def test_a_twin_is_told_once_however_often_it_comes(house: House) -> None:
    greet(house, "s2", instance="clone")
    first = n1(house).twin
    house.now += 60
    house.beat("n1", a_card(0))
    told = kinds_of_twin(house)
    greet(house, "s3", instance="clone")
    house.beat("n1", a_card(0))

    assert (told, kinds_of_twin(house)) == (1, 0)
    assert first is not None
    assert n1(house).twin == replace(first, is_sure=True)


def test_an_admin_says_that_a_twin_is_settled_and_the_node_works_again(house: House) -> None:
    greet(house, "s2", instance="clone")
    house.beat("n1", a_card(0))
    waiting = house.submit()

    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=False))

    assert n1(house).twin is None
    assert house.changes.journal[0].text == "root resumed n1, whose twin is settled"
    assert house.job(waiting.number).state is JobState.STARTING


def test_draining_settles_no_twin(house: House) -> None:
    greet(house, "s2", instance="clone")

    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))

    assert n1(house).twin is not None


def test_an_agent_that_was_restarted_before_its_old_connection_was_found_dead_is_no_twin(
    house: House,
) -> None:
    greet(house, "s2", instance="restarted")
    cut(house)

    assert n1(house).twin is None
    assert greet(house, "s3", instance="restarted") == (Greet(node=N1, session="s3"),)


def test_a_twin_does_not_get_in_while_the_first_is_away(house: House) -> None:
    house.submit()
    greet(house, "s2", instance="clone", boot_id="other")
    house.beat("n1", a_card(0))
    cut(house)

    (turned_away,) = greet(house, "s3", instance="clone", boot_id="other")
    first_again = greet(house, "s4", instance="restarted")

    assert isinstance(turned_away, TurnAway)
    assert turned_away.code == "twin"
    assert Greet(node=N1, session="s4") in first_again
    assert n1(house).twin is not None


def test_whose_credential_was_revoked_on_the_way_in_is_turned_away(house: House) -> None:
    cut(house)
    revoked = Credential(
        id="naaaaaaaa",
        role="node",
        secret_hash=b"x",
        created_at=1.0,
        created_by=UserName("root"),
        revoked_at=2.0,
        revoked_by=UserName("root"),
    )
    house.state.put_credential(revoked)
    hello = a_hello("n1", an_inventory())

    house.do(e.AgentSaidHello(session="s", address=None, hello=hello, credential=revoked.id))

    text = (
        "root revoked its token naaaaaaaa; to let it join again: mini-eaas token create --role "
        "agent --node n1"
    )
    assert house.effects == (TurnAway(session="s", code="revoked", text=text),)
    assert n1(house).session is None
