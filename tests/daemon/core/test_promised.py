"""What the first job without room is promised: a moment that holds, whatever others do."""

import pytest

from eaas.lifecycle import JobState
from eaas.wire.from_agent import AttemptRunning
from tests.rig.builders import House, a_card


def two_cards() -> House:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    return house


@pytest.mark.parametrize("wrong_s", [-86400.0, 86400.0])
def test_a_promise_does_not_go_by_the_wrong_clock_of_a_node(wrong_s: float) -> None:
    house = two_cards()
    job = house.submit(gpus=1, timeout="1h")
    started_at = house.now + wrong_s
    house.fact("n1", AttemptRunning(uid=job.uid, attempt=1, started_at=started_at, handle="c1"))

    wide = house.submit(gpus=2)

    assert house.state.reservations[wide.pool].at == pytest.approx(house.now + 3610)


def test_what_a_more_urgent_job_took_makes_the_promise_a_later_one() -> None:
    house = two_cards()
    house.running(house.submit(gpus=1, timeout="1h"))
    wide = house.submit(gpus=2)

    urgent = house.submit(gpus=1, priority=5, timeout="9h")

    promised = house.state.reservations[wide.pool]
    assert (urgent.state, promised.uid) == (JobState.STARTING, wide.uid)
    assert promised.at == pytest.approx(house.now + 9 * 3600 + 70)
