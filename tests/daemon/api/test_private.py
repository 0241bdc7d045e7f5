from eaas.wire.from_agent import CardProcess
from eaas_daemon.api.private import is_private_to, job_for, public_job, public_node
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.picture import Painter
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def a_house() -> House:
    """Return a house with a job of Alice's on a card."""
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.submit(ALICE, gpus=1, env={"A": "1"})
    return house


def test_what_is_private_is_for_the_owner_and_admins() -> None:
    job = a_house().job(1)

    assert [is_private_to(job, caller) for caller in (ALICE, ADMIN, BOB)] == [True, True, False]


def test_hiding_later_gives_the_same_as_drawing_for_others() -> None:
    house = a_house()
    painter = Painter(house.state, lambda uid, attempt: (0, 0), house.now)
    own, others = (job_for(caller, painter, house.job(1)) for caller in (ALICE, BOB))

    assert own.spec["env"] == {"A": "1"}
    assert public_job(own) == others
    assert others.spec["env"] is others.spec["command"] is None


def test_command_lines_of_jobs_are_hidden_and_those_of_strangers_shown() -> None:
    house = a_house()
    own = CardProcess(pid=1, memory_mib=1, command="train", uid=house.job(1).uid)
    foreign = CardProcess(pid=2, memory_mib=1, command="miner")
    house.beat("n1", a_card(0, processes=(own, foreign)), a_card(1))
    [node] = house.state.nodes.values()

    view = public_node(node_view(house.state, node))

    assert [process.command for process in view.cards[0].processes] == [None, "miner"]


def test_a_node_with_nothing_to_hide_is_the_same_view() -> None:
    house = a_house()
    [node] = house.state.nodes.values()
    view = node_view(house.state, node)

    assert public_node(view) is view
