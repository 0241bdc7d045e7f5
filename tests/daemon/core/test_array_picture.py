from eaas_daemon.core.array_picture import array_view
from eaas_daemon.core.arrays import is_array
from eaas_daemon.core.picture import Painter
from tests.rig.builders import House


def a_house() -> House:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    return house


def seen(house: House, number: int) -> list[tuple[str, int, str]]:
    painter = Painter(house.state, lambda uid, attempt: (0, 0), house.now)
    first = house.job(number)
    view = array_view(painter, first, painter.job(first))
    assert sum(view.states.values()) == view.count
    return [(view.ref, view.count, view.state)] + [
        (one.ref, one.count, one.state) for one in view.tasks
    ]


def test_tasks_that_are_alike_are_told_together_what_runs_first() -> None:
    house = a_house()
    house.submit(array="0-9%2")
    house.ended(house.running(house.job(1)), exit_code=1)
    house.running(house.job(2))

    assert seen(house, 1) == [
        ("1", 10, "Running"),
        ("1[2]", 1, "Starting"),
        ("1[1]", 1, "Running"),
        ("1[3-9]", 7, "Pending"),
        ("1[0]", 1, "Failed"),
    ]


def test_an_array_has_succeeded_only_when_all_its_tasks_have() -> None:
    house = a_house()
    house.submit(array="3,5")
    house.ended(house.running(house.job(1)))
    house.ended(house.running(house.job(2)), exit_code=1)
    house.submit(array="0-1")
    for number in (3, 4):
        house.ended(house.running(house.job(number)))

    assert seen(house, 1)[0] == ("1", 2, "Failed")
    assert seen(house, 3) == [("3", 2, "Succeeded"), ("3[0-1]", 2, "Succeeded")]


def test_only_the_first_task_stands_for_its_array() -> None:
    house = a_house()
    house.submit(array="0-1")
    house.submit()

    assert [is_array(house.job(number)) for number in (1, 2, 3)] == [True, False, False]
