from math import inf

import pytest

from eaas_daemon.core import events as e
from eaas_daemon.core.ends import ends_by, ends_if_placed, is_gone_by
from tests.rig.builders import ALICE, House, a_card


def a_house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


def test_an_attempt_that_starts_may_take_a_minute_before_its_timeout_counts() -> None:
    house = a_house()
    job = house.submit(gpus=1, timeout="1h")

    assert ends_by(job, house.now) == house.now + 60 + 3600 + 10


def test_an_attempt_that_runs_ends_by_its_timeout_and_the_time_to_stop_it() -> None:
    house = a_house()
    job = house.running(house.submit(gpus=1, timeout="1h"))

    assert ends_by(job, house.now + 500) == pytest.approx(house.now + 3610)


def test_without_a_timeout_nobody_knows_but_of_one_that_is_being_stopped() -> None:
    house = a_house()
    job = house.running(house.submit(gpus=1))
    assert ends_by(job, house.now) == inf

    stopped = house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=30))

    assert ends_by(stopped, house.now) == house.now + 40


@pytest.mark.parametrize(("at", "is_gone"), [(None, False), (3670.0, True), (3669.0, False)])
def test_who_is_placed_now_is_gone_by_a_moment_or_not(at: float | None, is_gone: bool) -> None:
    assert is_gone_by(3600.0, 0.0, at) is is_gone
    assert not is_gone_by(None, 0.0, at)
    assert (ends_if_placed(3600.0, 0.0), ends_if_placed(None, 0.0)) == (3670.0, inf)
