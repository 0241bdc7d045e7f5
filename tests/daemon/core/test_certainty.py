"""When the first job without room starts at the latest: said only where it is certain."""

import pytest

from eaas_daemon.core import events as e
from eaas_daemon.core.certainty import certain_at
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import COOLING_S
from tests.rig.builders import ALICE, BOB, House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.do(e.Tick())
    return house


def kind(house: House, job: Job) -> str:
    return Explainer(house.state, house.now).why(house.job(job.number)).eta.kind


def test_a_timeout_that_counts_is_certain_and_the_cards_are_clean_soon_after(house: House) -> None:
    house.running(house.submit(gpus=2, timeout="1h"))
    wide = house.submit(gpus=2)

    assert certain_at(house.state, wide, house.now) == house.now + 3610 + COOLING_S
    assert certain_at(house.state, wide, house.now + 9999) == house.now + 9999 + COOLING_S


def test_while_a_job_in_the_way_is_still_starting_it_is_an_estimate(house: House) -> None:
    job = house.submit(gpus=2, timeout="1h")
    wide = house.submit(gpus=2)
    assert kind(house, wide) == "estimate"

    house.running(job)

    assert kind(house, wide) == "certain"


def test_an_attempt_that_is_being_stopped_may_not_obey(house: House) -> None:
    job = house.running(house.submit(gpus=2, timeout="1h"))
    wide = house.submit(gpus=2)
    house.do(e.Cancel(caller=ALICE, number=job.number))

    assert kind(house, wide) == "estimate"


def test_a_card_that_was_given_back_may_stay_dirty(house: House) -> None:
    first, _ = (house.running(house.submit(gpus=1, timeout="1h")) for _ in range(2))
    wide = house.submit(gpus=2)
    house.ended(first)
    assert kind(house, wide) == "estimate"

    house.now += 2
    house.beat("n1", a_card(0), a_card(1))

    assert kind(house, wide) == "certain"


def test_nothing_is_certain_while_another_user_may_come_first_by_fair_share(house: House) -> None:
    house.running(house.submit(gpus=2, timeout="1h"))
    house.now += 1800
    mine, his = house.submit(ALICE, gpus=2), house.submit(BOB, gpus=1)

    assert "certain" not in {kind(house, job) for job in (mine, his)}


def test_nothing_is_certain_while_another_pool_waits_for_the_node_too(house: House) -> None:
    house.pool("other", "n1")
    house.running(house.submit(gpus=2, timeout="1h", pool="default"))
    mine, theirs = (house.submit(gpus=2, pool=pool) for pool in ("default", "other"))

    assert "certain" not in {kind(house, job) for job in (mine, theirs)}


def test_what_is_kept_already_is_certain_whoever_waits(house: House) -> None:
    house.running(house.submit(gpus=1, timeout="1h"))
    house.now += 1800
    mine = house.submit(ALICE, gpus=2)
    house.submit(BOB, gpus=2)

    assert kind(house, mine) == "certain"


def test_of_a_job_for_which_nothing_is_kept_nobody_can_say(house: House) -> None:
    house.running(house.submit(gpus=2))
    first, second = house.submit(gpus=2), house.submit(gpus=2)

    assert certain_at(house.state, first, house.now) is None
    assert certain_at(house.state, second, house.now) is None
