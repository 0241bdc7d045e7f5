"""A clock that was a year ahead for a while: once it is right, everything goes on by it."""

import pytest

from eaas.ids import NodeName, PoolName, UserName
from eaas.lifecycle import JobState
from eaas.units import utc_text
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from tests.rig.builders import ALICE, BOB, House, a_card

YEAR = 365 * 86400.0
DEFAULT, ALICES, BOBS = PoolName("default"), UserName("alice"), UserName("bob")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.do(e.Tick())
    return house


def jump(house: House, seconds: float) -> None:
    house.now += seconds
    house.do(e.Tick())


def used(house: House, user: UserName, at: float) -> float:
    return house.state.usage[DEFAULT, user].at(at, 86400.0)


def a_failed_start(house: House) -> Job:
    job = house.submit()
    return house.ended(job, None, cause="start_failed", fault="node", text="no room")


def test_use_goes_on_counting_and_decaying_once_the_clock_is_right_again(house: House) -> None:
    mine = house.running(house.submit(ALICE, gpus=1))
    jump(house, YEAR)
    house.ended(mine)
    his = house.running(house.submit(BOB, gpus=1))
    jump(house, -YEAR)
    before = {user: used(house, user, house.now) for user in (ALICES, BOBS)}

    jump(house, 3600)
    house.ended(his)

    assert used(house, ALICES, house.now) == pytest.approx(before[ALICES] * 2 ** (-1 / 24))
    assert used(house, BOBS, house.now) == pytest.approx(3600, rel=0.02)
    assert used(house, BOBS, house.now + 86400) == pytest.approx(1800, rel=0.02)


def test_a_clock_that_is_set_back_a_little_changes_nothing(house: House) -> None:
    house.running(house.submit(gpus=1))
    before = house.state.usage, house.state.pools[DEFAULT]

    jump(house, -3)

    assert (house.state.usage, house.state.pools[DEFAULT]) == before


def test_who_came_while_the_clock_was_ahead_waits_since_it_is_right(house: House) -> None:
    house.running(house.submit(gpus=2))
    jump(house, YEAR)
    job = house.submit(gpus=2)

    jump(house, -YEAR)

    assert house.job(job.number).since == house.now
    jump(house, 600)
    kept = house.state.reservations[DEFAULT]
    assert (kept.uid, kept.holds_from) == (job.uid, house.now)


def test_a_backoff_that_began_while_the_clock_was_ahead_is_over_soon(house: House) -> None:
    jump(house, YEAR)
    job = a_failed_start(house)
    assert job.not_before is not None
    wish = house.submit(not_before=utc_text(house.now + 60))

    jump(house, -YEAR)
    jump(house, 61)

    assert house.job(job.number).state is JobState.STARTING
    assert house.job(wish.number).not_before == wish.not_before


def test_an_attempt_placed_while_the_clock_was_ahead_ends_in_time(house: House) -> None:
    jump(house, YEAR)
    job = house.submit(gpus=2, timeout="1h")
    jump(house, -YEAR)
    house.running(job)

    wide = house.submit(gpus=2)

    assert house.state.reservations[wide.pool].at == pytest.approx(house.now + 3610)


def test_a_node_that_fell_silent_while_the_clock_was_ahead_goes_offline_in_time(
    house: House,
) -> None:
    jump(house, YEAR)
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut"))
    jump(house, -YEAR)

    for _ in range(40):
        jump(house, 4)

    assert house.state.nodes[NodeName("n1")].offline
