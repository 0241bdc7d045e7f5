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


def test_nobody_is_promised_a_card_that_stays_dirty_after_its_release() -> None:
    house = House()
    for name in ("n1", "n2"):
        house.node(name, a_card(0, node=name), a_card(1, node=name))
    house.pool("default", "n1", "n2")
    first = house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"]))
    house.running(house.submit(gpus=2, timeout="2h", nodes=["n2"]))
    wide = house.submit(gpus=2)
    house.ended(first)
    dirty = a_card(0, node="n1", state="dirty"), a_card(1, node="n1")

    promised = []
    for seconds in (2, 60):
        house.now += seconds
        house.beat("n1", *dirty)
        promised.append(house.state.reservations[wide.pool].nodes)

    assert promised == [("n1",), ("n2",)]
    assert house.submit(gpus=1).state is JobState.STARTING
