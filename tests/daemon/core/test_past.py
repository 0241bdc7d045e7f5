import re
from typing import Any

import pytest

from eaas.ids import NodeName
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Effect, Greet, TurnAway
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.past import older_copy, past_seq
from tests.rig.builders import House, a_card, a_hello, an_inventory

N1 = NodeName("n1")
NOW_LIFE = "0001-00000000aaaaaaaa"
BEFORE = "0000-00000000bbbbbbbb"
ELSEWHERE = "0002-00000000cccccccc"


@pytest.fixture
def house() -> House:
    """A controller in its second life; its first came as far as change 100."""
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))
    house.state.life, house.state.lives = NOW_LIFE, {BEFORE: 100}
    return house


def greet(house: House, *, told_seq: int | None = None, **said: Any) -> tuple[Effect, ...]:
    hello = a_hello("n1", an_inventory(a_card(0)), **said)
    house.do(e.AgentSaidHello(session="s", address=None, hello=hello, told_seq=told_seq))
    return house.effects


@pytest.mark.parametrize(
    ("said", "told_seq", "past"),
    [
        ({}, None, None),
        ({"life": BEFORE, "life_seq": 100}, None, 100),
        ({"life": BEFORE, "life_seq": 7}, None, 100),
        ({"life": NOW_LIFE, "life_seq": 150}, 150, 150),
    ],
)
def test_who_obeyed_what_this_controller_remembers_is_welcome(
    house: House, said: dict[str, Any], told_seq: int | None, past: int | None
) -> None:
    effects = greet(house, told_seq=told_seq, epoch=1, **said)

    assert effects == (Greet(node=N1, session="s", past_seq=past),)


@pytest.mark.parametrize(
    ("said", "told_seq", "knows"),
    [
        ({"life": BEFORE, "life_seq": 101}, None, "knows it only up to change 100"),
        ({"life": ELSEWHERE, "life_seq": 1}, None, "knows nothing of it"),
        # a virtual machine whose memory was put back counts on, but never said this
        ({"life": NOW_LIFE, "life_seq": 150}, 90, "knows it only up to change 90"),
        ({"life": NOW_LIFE, "life_seq": 150}, None, "knows nothing of it"),
        ({"life": NOW_LIFE, "life_seq": 1, "epoch": 2}, 1, r"life bbbbbbbb|life aaaaaaaa"),
    ],
)
def test_an_older_copy_turns_away_who_has_heard_more_and_says_so_of_the_node(
    house: House, said: dict[str, Any], told_seq: int | None, knows: str
) -> None:
    (effect,) = greet(house, told_seq=told_seq, **{"epoch": 1, **said})

    assert isinstance(effect, TurnAway)
    assert effect.code == "obeys_another"
    (line,) = house.changes.journal
    (condition,) = node_view(house.state, house.state.nodes[N1]).conditions
    assert (line.kind, condition.code) == ("node.refused", "obeys_another")
    assert condition.text == effect.text
    assert line.text == f"n1: {effect.text}"
    assert re.search(knows, effect.text)
    assert f"this one is life {NOW_LIFE[-8:]} (epoch 1)" in effect.text
    assert f"life {str(said['life'])[-8:]}" in effect.text


def test_a_controller_whose_epoch_was_raised_by_a_person_needs_no_common_past(
    house: House,
) -> None:
    house.state.epoch = 2

    assert greet(house, epoch=1, life=ELSEWHERE, life_seq=999) == (Greet(node=N1, session="s"),)


def test_the_trouble_is_over_when_the_agent_obeys_again(house: House) -> None:
    greet(house, epoch=1, life=ELSEWHERE, life_seq=1)
    assert house.state.nodes[N1].obeys_another is not None

    greet(house, epoch=1, life=BEFORE, life_seq=1)

    assert house.state.nodes[N1].obeys_another is None


def test_a_stranger_that_obeys_another_is_turned_away_and_makes_no_node(house: House) -> None:
    hello = a_hello("n7", an_inventory(), epoch=1, life=ELSEWHERE, life_seq=1)

    assert older_copy(house.state, hello, None) is not None
    assert past_seq(house.state, hello, None) is None
    house.do(e.AgentSaidHello(session="s", address=None, hello=hello))

    assert NodeName("n7") not in house.state.nodes
