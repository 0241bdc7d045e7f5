import pytest

from eaas.ids import PoolName, UserName
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.model import UseSoFar
from eaas_daemon.core.so_far import count_on
from tests.rig.builders import ADMIN, House, a_card

DEFAULT, ALICE = PoolName("default"), UserName("alice")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    house.ended(house.running(house.submit(gpus=1)))
    house.now += 100
    house.running(house.submit(gpus=0))
    return house


def test_a_pool_keeps_what_everybody_has_had_by_now_and_counts_on_from_there(house: House) -> None:
    before = house.state.usage[DEFAULT, ALICE].at(house.now + 50, 86400.0)

    count_on(house.state, DEFAULT, house.now)

    used = house.state.usage[DEFAULT, ALICE]
    kept = UseSoFar(as_of=house.now, card_seconds={ALICE: used.card_seconds})
    assert used.as_of == house.now
    assert used.at(house.now + 50, 86400.0) == pytest.approx(before)
    assert house.state.pools[DEFAULT].used == kept


def test_use_up_to_a_change_of_the_half_life_decays_by_the_old_one(house: House) -> None:
    house.state.usage[DEFAULT, ALICE] = type(house.state.usage[DEFAULT, ALICE])(
        card_seconds=800.0, as_of=house.now
    )
    house.now += 86400

    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(half_life_s=3600.0)))
    house.now += 3600

    assert house.state.usage[DEFAULT, ALICE].at(house.now, 3600.0) == pytest.approx(200.0)


def test_a_setting_that_is_no_half_life_leaves_the_count_alone(house: House) -> None:
    before = house.state.pools[DEFAULT].used

    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(half_life_s=86400.0)))
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(max_gpus_per_user=3)))

    assert house.state.pools[DEFAULT].used is before
