from eaas_daemon.core.orders import order_for
from eaas_daemon.core.task_env import Told, task_env, told_by
from tests.rig.builders import House
from tests.rig.preempting import a_house, at_night, obeys, urgently


def test_a_task_knows_its_array_its_index_and_how_many_there_are() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    first = house.submit(array="3,5-9:2%4", env={"A": "1"})

    orders = [order_for(house.job(number), epoch=1) for number in (first.number, first.number + 3)]

    array = {"A": "1", "EAAS_ARRAY_ID": "1", "EAAS_ARRAY_COUNT": "4"}
    assert [order.env for order in orders] == [
        array | {"EAAS_ARRAY_INDEX": "3"},
        array | {"EAAS_ARRAY_INDEX": "9"},
    ]
    assert told_by(orders[1].env) == Told({"A": "1"}, first.number, 9)


def test_a_job_that_was_preempted_knows_how_often_and_its_order_tells_no_variable_of_its_own() -> (
    None
):
    house = a_house(cards=1)
    victim = at_night(house, gpus=1, env={"A": "1"})
    urgently(house)
    again = obeys(house, victim)

    assert order_for(again, epoch=1).env == {"A": "1", "EAAS_PREEMPTIONS": "1"}
    assert told_by({"A": "1", "EAAS_PREEMPTIONS": "1"}) == Told({"A": "1"}, None, None)


def test_a_job_that_is_no_task_has_no_such_variables() -> None:
    house = House()
    house.pool("default")

    assert task_env(house.submit()) == {}
    assert told_by({"A": "1"}) == Told({"A": "1"}, None, None)
