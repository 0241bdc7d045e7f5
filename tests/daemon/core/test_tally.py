from eaas.ids import PoolName
from eaas_daemon.core.tally import NOTHING, Tally, Use
from tests.rig.builders import ALICE, BOB, House, a_card

POOL = PoolName("default")


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1), a_card(2))
    house.pool("default", "n1")
    house.queue("night")
    return house


def test_jobs_and_cards_count_for_their_queue_their_user_and_the_pool() -> None:
    house = a_house()
    house.submit(ALICE, gpus=2)
    house.submit(ALICE, gpus=1, queue="night")
    house.submit(BOB, gpus=0)

    held = house.state.held
    assert held.of_queue("default/default") == Use(jobs=2, gpus=2)
    assert held.of_user("default/default", "alice") == Use(jobs=1, gpus=2)
    assert held.of_pool_user(POOL, "alice") == Use(jobs=2, gpus=3)
    assert held.of_pool_user(POOL, "bob") == Use(jobs=1, gpus=0)
    assert held.users_of(POOL) == {"alice", "bob"}
    assert held.users_of(PoolName("other")) == set()
    assert held.jobs() == 3


def test_a_job_that_waits_holds_nothing_and_one_that_has_ended_no_more() -> None:
    house = a_house()
    first, second = house.submit(gpus=3), house.submit(gpus=3)
    assert house.state.held.of_queue(second.ref) == Use(jobs=1, gpus=3)

    house.ended(house.running(first))

    assert dict(house.state.held) == {}
    assert house.state.held.of_queue(first.ref) == NOTHING


def test_counting_on_a_copy_leaves_the_first_alone() -> None:
    tally = Tally()
    tally.count(POOL, "default/default", "alice", 1, 4)

    tally.copy().count(POOL, "default/default", "alice", 1, 4)

    assert tally.of_pool_user(POOL, "alice") == Use(jobs=1, gpus=4)


def test_tasks_count_for_their_array_only_where_it_has_a_limit() -> None:
    house = a_house()
    limited = house.submit(array="0-2%2", gpus=1)
    free = house.submit(array="0-1", gpus=0)

    assert house.state.held.of_array(limited.number) == Use(jobs=2, gpus=2)
    assert house.state.held.of_array(free.number) == NOTHING

    for number in (1, 2, 3):
        house.ended(house.running(house.job(number)))

    assert house.state.held.of_array(limited.number) == NOTHING
