"""What the first job without room is promised: a moment that holds, whatever others do."""

from typing import Any

import pytest

from eaas.lifecycle import JobState
from eaas.wire.from_agent import AttemptRunning
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


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


CAPS: list[dict[str, Any]] = [
    {"max_running": 2},
    {"max_gpus": 3},
    {"max_per_user": 2},
    {"max_gpus_per_user": 3},
]


def first_of_a_full_node(house: House) -> Job:
    """Return a job that waits for a node of which one card is busy for an hour; n2 is free."""
    for name in ("n1", "n2"):
        house.node(name, a_card(0, node=name), a_card(1, node=name))
    house.pool("default", "n1", "n2")
    house.running(house.submit(gpus=1, timeout="1h", nodes=["n1"]))
    wide = house.submit(gpus=2, nodes=["n1"])
    assert house.state.reservations[wide.pool].at is not None
    return wide


@pytest.mark.parametrize("caps", CAPS, ids=str)
def test_who_goes_ahead_elsewhere_does_not_take_the_last_of_a_cap_that_the_first_needs(
    caps: dict[str, Any],
) -> None:
    house = House()
    first_of_a_full_node(house)
    house.queue("default", **caps)

    endless, short = house.submit(gpus=1), house.submit(gpus=1, timeout="30m")

    assert (endless.state, short.state) == (JobState.PENDING, JobState.PENDING)


def test_who_people_put_first_takes_the_last_of_a_cap() -> None:
    house = House()
    first_of_a_full_node(house)
    house.queue("default", max_running=2)

    assert house.submit(gpus=1, priority=1).state is JobState.STARTING


def test_a_cap_that_is_kept_is_told_with_whom_it_is_kept_for() -> None:
    house = House()
    wide = first_of_a_full_node(house)
    house.queue("default", max_running=2)
    endless = house.submit(gpus=1)

    why = Explainer(house.state, house.now).why(endless)

    assert [(reason.code, reason.scope, reason.text) for reason in why.reasons] == [
        (
            "cap_reserved",
            "queue",
            "what the caps of queue default/default still allow is kept for job "
            f"{wide.number} of alice, which goes first",
        )
    ]
    assert [blocker.job for blocker in why.blockers] == [1]


def test_a_cap_of_the_pool_is_kept_from_the_same_user_in_another_queue_and_from_nobody_else() -> (
    None
):
    house = House()
    first_of_a_full_node(house)
    house.queue("night")
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(max_gpus_per_user=3)))

    mine, his = (house.submit(caller, gpus=1, queue="night") for caller in (ALICE, BOB))

    assert (mine.state, his.state) == (JobState.PENDING, JobState.STARTING)
    why = Explainer(house.state, house.now).why(house.job(mine.number))
    assert [(reason.code, reason.scope) for reason in why.reasons] == [("cap_reserved", "job")]


def test_a_cap_that_has_enough_for_both_keeps_nobody() -> None:
    house = House()
    first_of_a_full_node(house)
    house.queue("default", max_running=3)

    assert house.submit(gpus=1).state is JobState.STARTING
