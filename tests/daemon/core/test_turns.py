"""Pools that share a node: urgent jobs without end in one of them do not keep the other from it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eaas.lifecycle import JobState
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.turns import Turns
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card

HOLD = SetQueue(hold_after_s=0.0)


def a_shared_node(cards: int = 2) -> House:
    house = House()
    house.node("n1", *(a_card(i) for i in range(cards)))
    for pool in ("a", "b"):
        house.pool(pool, "n1")
        house.do(e.ChangeQueue(caller=ADMIN, pool=pool, name="default", settings=HOLD))
    house.do(e.Tick())
    return house


def free_one(house: House, cards: int = 2) -> None:
    """Let the attempt end that was placed first, and its cards be read clean."""
    live = [job for job in house.state.jobs.values() if job.live_attempt]
    first = min(live, key=lambda job: (job.attempts[-1].created_at, job.number))
    house.ended(house.running(first))
    house.now += 2
    house.beat("n1", *(a_card(i) for i in range(cards)))


def started(house: House, job: Job) -> bool:
    return house.job(job.number).state is not JobState.PENDING


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("is_first", [True, False], ids=["older", "newer"])
def test_urgent_jobs_that_take_what_is_kept_for_another_of_their_pool_keep_no_other_pool_out(
    width: int, is_first: bool
) -> None:
    house = a_shared_node()
    for _ in range(2):
        house.submit(gpus=1, pool="a")
    house.now += 1
    theirs = house.submit(BOB, gpus=width, pool="b") if is_first else None
    house.now += 1
    wide = house.submit(gpus=2, pool="a")
    house.now += 1
    theirs = theirs or house.submit(BOB, gpus=width, pool="b")

    for _ in range(12):
        free_one(house)
        house.now += 1
        house.submit(gpus=1, pool="a", priority=5)

    assert started(house, theirs)
    assert not started(house, wide)
    assert broken(house.state) == []


def test_who_lets_others_go_first_counts_between_pools_from_then_on_and_only_while_it_waits() -> (
    None
):
    house = a_shared_node()
    house.running(house.submit(gpus=1, pool="a", timeout="1h"))
    wide = house.submit(gpus=2, pool="a")
    house.now += 100

    urgent = house.submit(gpus=1, pool="a", priority=5)

    assert urgent.state is JobState.STARTING
    assert house.state.passed == {wide.uid: house.now}
    assert Turns(house.state).since(wide) == house.now
    house.do(e.Cancel(caller=ALICE, number=wide.number))
    house.submit(gpus=0, pool="a")
    assert house.state.passed == {}


def test_what_one_pool_keeps_no_longer_is_offered_to_who_has_waited_longest_in_any() -> None:
    house = a_shared_node(cards=3)
    house.queue("slow", pool="b", paused=True)
    running = [house.running(house.submit(gpus=1, pool="a")) for _ in range(3)]
    theirs = house.submit(BOB, gpus=2, pool="b", queue="slow")
    house.now += 1
    first, second = (house.submit(gpus=2, pool="a") for _ in range(2))
    free_one(house, cards=3)
    assert house.state.reservations[first.pool].is_firm
    resumed = SetQueue(paused=False, hold_after_s=0.0)
    house.do(e.ChangeQueue(caller=ADMIN, pool="b", name="slow", settings=resumed))

    for job in running[1:]:
        house.ended(job)
    house.now += 2
    house.beat("n1", *(a_card(i) for i in range(3)))

    assert started(house, first)
    assert not started(house, second)
    firm = {kept.number for kept in house.state.every_reservation() if kept.is_firm}
    assert firm == {theirs.number}


deeds = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(1, 3), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(deeds=deeds, width=st.integers(1, 3))
def test_a_job_of_one_pool_starts_whatever_comes_without_end_in_the_other(
    deeds: list[tuple[str, int, int, bool]], width: int
) -> None:
    house = a_shared_node(cards=3)
    for _ in range(3):
        house.submit(gpus=1, pool="a")
    theirs: Job | None = None
    for round_ in range(80):
        pool, gpus, priority, is_timed = deeds[round_ % len(deeds)]
        if round_ == len(deeds):
            theirs = house.submit(BOB, gpus=width, pool="b")
        fields: dict[str, Any] = {"timeout": "1h"} if is_timed else {}
        house.now += 1
        if priority:
            free_one(house, cards=3)
        house.submit(gpus=gpus, pool="a", priority=priority, **fields)
        if pool == "b" and theirs is None:
            house.submit(gpus=gpus, pool="b", **fields)
        if not priority:
            free_one(house, cards=3)
        if theirs is not None and started(house, theirs):
            return
        assert broken(house.state) == []
    assert theirs is None or started(house, theirs)
