from eaas_daemon.core import events as e
from eaas_daemon.core.inventory_picture import queue_view
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card
from tests.rig.metrics import Scraped, a_moment, scraped

DEFAULT = {"pool": "default", "queue": "default"}


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.queue("night", paused=True)
    return house


def look(house: House) -> Scraped:
    return scraped(a_moment(house.state, house.now))


def test_queues_are_shown_as_their_views_show_them() -> None:
    house = a_house()
    house.running(house.submit(ALICE, gpus=1))
    for _ in range(3):
        house.submit(BOB, gpus=2)
        house.submit(BOB, gpus=1, queue="night")

    found = look(house)

    for queue in house.state.queues.values():
        view = queue_view(house.state, queue)
        name = {"pool": view.pool, "queue": view.name}
        assert found.value("queue_jobs_waiting", **name) == view.waiting == 3
        assert found.value("queue_jobs_running", **name) == view.running
        assert found.value("queue_cards_held", **name) == view.gpus_held
        assert found.value("queue_paused", **name) == view.paused
    assert found.rows("jobs", "queue", "state")["default", "Running"] == 1
    assert found.rows("jobs", "queue", "state")["night", "Running"] == 0


def test_the_longest_wait_is_that_of_the_job_that_came_first_and_nothing_while_none_waits() -> None:
    house = a_house()
    assert look(house).value("queue_oldest_waiting_seconds", **DEFAULT) == 0
    house.submit(ALICE, gpus=2)
    first = house.submit(ALICE, gpus=2)
    house.now += 30
    house.submit(ALICE, gpus=2)
    house.now += 12

    assert look(house).value("queue_oldest_waiting_seconds", **DEFAULT) == 42

    house.do(e.Cancel(caller=ALICE, number=first.number))

    assert look(house).value("queue_oldest_waiting_seconds", **DEFAULT) == 12


def test_a_job_whose_attempt_has_failed_waits_since_then() -> None:
    house = a_house()
    job = house.submit(ALICE, restart={"policy": "on-failure", "retries": 1, "backoff": "1h"})
    house.running(job)
    house.now += 500
    house.ended(house.job(job.number), exit_code=1)
    house.now += 8

    found = look(house)

    assert found.value("queue_oldest_waiting_seconds", **DEFAULT) == 8
    assert found.value("queue_jobs_waiting", **DEFAULT) == 1


def test_the_jobs_of_a_silent_node_are_shown_as_unknown() -> None:
    house = a_house()
    house.quiet_start()
    house.running(house.submit(ALICE, gpus=1))

    house.silence("n1")

    states = look(house).rows("jobs", "queue", "state")
    assert {state: states["default", state] for state in ("Running", "Unknown")} == {
        "Running": 0,
        "Unknown": 1,
    }


def test_a_queue_that_is_gone_is_not_shown() -> None:
    house = a_house()
    house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="night"))

    assert set(look(house).rows("queue_paused", "queue")) == {"default"}
