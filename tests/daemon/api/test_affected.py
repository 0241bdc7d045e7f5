from eaas.ids import NodeName, PoolName
from eaas_daemon.api.affected import Affected
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from tests.rig.builders import ADMIN, House, a_card


def a_house() -> House:
    """Return two pools, one with a node."""
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    house.pool("second")
    return house


def names(affected: Affected) -> tuple[list[str], list[str], list[str]]:
    """Return which nodes, pools and queues are to be drawn."""
    nodes, pools, queues = affected.take()
    return [node.name for node in nodes], [*pools], queues


def test_a_placed_job_counts_on_its_node_and_in_its_queue() -> None:
    house = a_house()
    affected = Affected(house.state)

    house.submit(pool="default", gpus=1)
    affected.note(house.changes)

    assert names(affected) == (["n1"], ["default"], ["default/default"])
    assert names(affected) == ([], [], [])


def test_a_moved_job_counts_where_it_was_and_where_it_is() -> None:
    house = a_house()
    job = house.submit(pool="second")
    affected = Affected(house.state)

    house.do(e.Move(caller=ADMIN, number=job.number, pool=PoolName("default"), queue="default"))
    affected.note(house.changes)

    assert names(affected)[1:] == (["default", "second"], ["default/default", "second/default"])


def test_readings_count_only_when_a_card_is_something_else_now() -> None:
    house = a_house()
    affected = Affected(house.state)

    house.beat("n1", a_card(0, power_w=99.0))
    affected.note_readings([NodeName("n1")])
    quiet = names(affected)
    house.beat("n1", a_card(0, state="foreign"))
    affected.note_readings([NodeName("n1")])

    assert quiet == ([], [], [])
    assert names(affected) == (["n1"], ["default"], [])


def test_those_who_moved_up_in_line_are_named_once() -> None:
    house = a_house()
    jobs = [house.submit(pool="second") for _ in range(3)]
    affected = Affected(house.state)
    affected.moved_in_line(Explainer(house.state))

    house.do(e.Cancel(caller=ADMIN, number=jobs[0].number))
    moved = affected.moved_in_line(Explainer(house.state))

    assert [job.number for job in moved] == [2, 3]
    assert affected.moved_in_line(Explainer(house.state)) == []
