from msgspec.structs import replace

from eaas_daemon.core import events as e
from eaas_daemon.core.still import still
from tests.rig.builders import ADMIN, House, a_card
from tests.rig.snapshot import snapshot


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def test_a_still_state_stays_as_it_was_whatever_happens_to_the_other() -> None:
    house = a_house()
    house.running(house.submit(gpus=1))
    waiting = house.submit(gpus=1)
    delayed = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "1h"})
    house.ended(house.running(delayed), exit_code=1)
    before = snapshot(house.state)

    twin = still(house.state)

    house.do(e.Cancel(caller=ADMIN, number=waiting.number))
    house.do(e.Cancel(caller=ADMIN, number=delayed.number))
    house.ended(house.job(1))
    house.submit(gpus=1)
    house.do(e.CreatePool(caller=ADMIN, name="lab"))
    assert snapshot(twin) == before != snapshot(house.state)


def test_the_other_goes_on_as_it_was_whatever_is_played_with_a_still_one() -> None:
    house = a_house()
    house.running(house.submit(gpus=1))
    job = house.submit(gpus=1)
    house.state.arrived.setdefault(job.pool, set()).clear()
    before = snapshot(house.state)

    twin = still(house.state)
    twin.put_job(replace(job, timeout_s=5.0))

    assert (snapshot(house.state), house.state.arrived) == (before, {job.pool: set()})
