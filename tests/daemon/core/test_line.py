from eaas_daemon.core import events as e
from tests.rig.builders import ADMIN, House, a_card


def in_order(house: House) -> list[int]:
    """Return the numbers of the jobs that wait in the pool, the next one first."""
    [pool] = house.state.pools
    uids = house.state.line.in_order(pool, house.state.queues)
    return [house.state.jobs[uid].number for uid in uids]


def positions(house: House) -> list[int]:
    """Return the same from what each job is told."""
    line, queues = house.state.line, house.state.queues
    return [
        job.number
        for job in sorted(house.state.jobs.values(), key=lambda job: line.position(job, queues))
    ]


def test_the_order_of_a_pool_is_the_one_its_jobs_are_told() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    for name, priority in (("fast", 5), ("default", 3), ("slow", 0)):
        house.queue(name, priority=priority, paused=True)
    for queue in ("slow", "fast", "default", "slow", "default"):
        for gpus in (0, 1):
            house.submit(queue=queue, gpus=gpus)
    house.do(e.PutOnTop(caller=ADMIN, number=house.job(8).number))

    assert in_order(house) == [3, 4, 5, 6, 9, 10, 8, 1, 2, 7]
    assert positions(house) == in_order(house)
