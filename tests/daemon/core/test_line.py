from msgspec.structs import replace

from eaas.ids import PoolName
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.line import Line, Order
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, House

POOL = PoolName("default")


def a_house() -> House:
    house = House()
    house.pool("default")
    return house


def waiting(house: House) -> list[int]:
    state = house.state
    return [state.jobs[uid].number for uid in state.line.in_order(POOL, state.order)]


def positions(house: House) -> list[int]:
    state = house.state
    jobs = sorted(state.jobs.values(), key=lambda job: job.number)
    return [state.line.position(job, state.order) for job in jobs]


def test_positions_agree_with_the_order_over_queues_and_kinds() -> None:
    house = a_house()
    house.queue("urgent", priority=5)
    for queue, priority, gpus in [
        ("default", 0, 1),
        ("default", 3, 0),
        ("urgent", -9, 1),
        ("default", 0, 2),
        ("urgent", 1, 0),
    ]:
        house.submit(ADMIN, queue=queue, priority=priority, gpus=gpus)

    assert waiting(house) == [5, 3, 2, 1, 4]
    assert positions(house) == [4, 3, 2, 5, 1]


def test_alike_jobs_wait_in_one_group_and_it_goes_with_the_last_of_them() -> None:
    house = a_house()
    jobs = [house.submit(gpus=1), house.submit(gpus=1)]
    line = Line()
    shapes = {line.add(job) for job in jobs}
    assert shapes == {shape_of(jobs[0])}

    for job in jobs:
        line.remove(job)

    assert line.groups(POOL) == {}
    assert line.waiting("default/default") == 0


def test_the_later_put_on_top_goes_first() -> None:
    line = Line()
    house = a_house()
    jobs: list[Job] = [replace(house.submit(), rank=rank) for rank in (0, -1, -2)]

    for job in jobs:
        line.add(job)

    order = list(line.in_order(POOL, house.state.order))
    assert order == [job.uid for job in reversed(jobs)]


def test_an_unknown_pool_has_nobody_waiting() -> None:
    assert list(Line().in_order(PoolName("none"), Order({}, {}))) == []


def test_a_still_line_keeps_who_waited_in_it() -> None:
    house = a_house()
    jobs = [house.submit(ADMIN) for _ in range(3)]
    still = house.state.line.still()

    house.do(e.Cancel(caller=ADMIN, number=jobs[0].number))
    house.submit(ADMIN, gpus=2)

    assert list(still.in_order(POOL, house.state.order)) == [job.uid for job in jobs]
    assert still.waiting("default/default") == 3
    assert waiting(house) == [2, 3, 4]
