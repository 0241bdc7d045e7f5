"""Who is stopped for whom, and who never is."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.preempt import MIN_RUN_S
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card, cards_of
from tests.rig.preempting import a_house, at_night, change, states

PENDING, STARTING, RUNNING = JobState.PENDING, JobState.STARTING, JobState.RUNNING
STOPPING, UNKNOWN = JobState.STOPPING, JobState.UNKNOWN


def test_a_job_without_room_has_one_of_a_less_urgent_queue_stopped() -> None:
    house = a_house()
    old, young = at_night(house, gpus=1), at_night(house, gpus=1)

    urgent = house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, old, young, urgent) == [RUNNING, STOPPING, PENDING]
    promise = house.job(urgent.number).promise
    assert promise is not None
    assert list(promise.cards) == cards_of(young)
    assert broken(house.state) == []


def test_nobody_is_stopped_in_a_queue_that_does_not_allow_it() -> None:
    house = a_house()
    running = house.running(house.submit(gpus=2))
    house.now += 3600

    urgent = house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, running, urgent) == [RUNNING, PENDING]


def test_nobody_is_stopped_for_a_job_of_the_same_priority() -> None:
    house = a_house()
    house.queue("evening", priority=-10)
    running = at_night(house, gpus=2)

    other = house.submit(BOB, queue="evening", gpus=1, priority=100)

    assert states(house, running, other) == [RUNNING, PENDING]


def test_a_job_that_was_stopped_stops_nobody_when_it_waits_again() -> None:
    house = a_house(cards=1)
    house.queue("urgent2", priority=10, preemptible=True)
    night = at_night(house, gpus=1)
    urgent = house.submit(BOB, queue="urgent2", gpus=1)
    house.ended(house.job(night.number), exit_code=143, cause="stopped")
    house.beat("n1", a_card(0))
    house.running(house.job(urgent.number))

    house.now += 3600
    house.do(e.Tick())

    assert states(house, night, urgent) == [PENDING, RUNNING]


def test_a_job_is_left_alone_for_its_first_minute_and_no_longer() -> None:
    house = a_house(cards=1)
    running = house.running(house.submit(queue="night", gpus=1))
    urgent = house.submit(BOB, queue="urgent", gpus=1)
    assert states(house, running, urgent) == [RUNNING, PENDING]

    house.now += MIN_RUN_S - 1
    house.do(e.Tick())
    assert states(house, running) == [RUNNING]
    house.now += 1
    house.do(e.Tick())

    assert states(house, running) == [STOPPING]
    assert house.job(urgent.number).promise is not None


def test_a_job_that_has_done_no_work_yet_is_stopped_before_one_that_has() -> None:
    house = a_house()
    running, starting = at_night(house, gpus=1), house.submit(queue="night", gpus=1)

    house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, running, starting) == [RUNNING, STOPPING]


def test_several_urgent_jobs_each_have_their_room_made_in_one_step() -> None:
    house = a_house(cards=3)
    night = [at_night(house, gpus=1) for _ in range(3)]

    urgent = [house.submit(BOB, queue="urgent", gpus=1) for _ in range(2)]

    assert states(house, *night) == [RUNNING, STOPPING, STOPPING]
    promises = [house.job(job.number).promise for job in urgent]
    assert [promise.cards for promise in promises if promise] == [
        tuple(cards_of(night[2])),
        tuple(cards_of(night[1])),
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"gpus": 2, "memory": "70GiB"},
        {"gpus": 3},
        {"gpus": 1, "gpu_type": "A100"},
        {"gpus": 1, "gpu_memory": "48GiB"},
        {"gpus": 1, "mounts": ["datasets:/data"]},
        {"gpus": 1, "cpus": 60},
    ],
)
def test_nobody_is_stopped_for_a_job_that_would_not_fit_all_the_same(asked: dict[str, Any]) -> None:
    house = a_house()
    running = house.running(house.submit(gpus=0, cpus=8))
    night = [at_night(house, gpus=1), at_night(house, gpus=1)]

    urgent = house.submit(BOB, queue="urgent", force=True, **asked)

    assert states(house, running, *night) == [RUNNING] * 3
    assert house.job(urgent.number).promise is None


def test_nobody_is_stopped_for_a_job_whose_queue_is_paused_or_full() -> None:
    house = a_house(cards=1)
    night = at_night(house, gpus=1)
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.submit(BOB, queue="urgent", gpus=1)

    for shut in ({"paused": True}, {"paused": False, "max_gpus": 0}, {"max_gpus_per_user": 0}):
        house.do(change("urgent", **shut))
        house.do(e.SetDraining(caller=ADMIN, node="n1", draining=False))
        assert states(house, night) == [RUNNING]
        house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True))
    house.do(change("urgent", max_gpus_per_user=None, max_gpus=None))
    house.do(e.SetDraining(caller=ADMIN, node="n1", draining=False))

    assert states(house, night) == [STOPPING]


def test_a_cap_counts_those_for_whom_room_is_being_made() -> None:
    house = a_house()
    night = [at_night(house, gpus=1), at_night(house, gpus=1)]
    house.do(change("urgent", max_running=1))

    house.submit(BOB, queue="urgent", gpus=1)
    house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, *night) == [RUNNING, STOPPING]


def test_nobody_is_stopped_for_what_comes_free_by_itself_in_a_moment() -> None:
    house = a_house()
    cancelled, night = at_night(house, gpus=1), at_night(house, gpus=1)
    house.do(e.Cancel(caller=ALICE, number=cancelled.number, grace_s=10))
    urgent = house.submit(BOB, queue="urgent", gpus=1)
    assert states(house, night) == [RUNNING]

    house.ended(house.job(cancelled.number), exit_code=143, cause="stopped")
    assert states(house, night) == [RUNNING]  # the card is not clean yet
    house.now += 2
    house.beat("n1", a_card(0), a_card(1))

    assert states(house, night, urgent) == [RUNNING, STARTING]


def test_what_comes_free_by_itself_is_counted_for_one_waiting_job_only() -> None:
    house = a_house()
    cancelled, night = at_night(house, gpus=1), at_night(house, gpus=1)
    house.do(e.Cancel(caller=ALICE, number=cancelled.number, grace_s=10))

    house.submit(BOB, queue="urgent", gpus=1)
    house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, night) == [STOPPING]


def test_nobody_waits_for_a_job_that_was_given_an_hour_to_end() -> None:
    house = a_house()
    cancelled, night = at_night(house, gpus=1), at_night(house, gpus=1)
    house.do(e.Cancel(caller=ALICE, number=cancelled.number, grace_s=3600))

    house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, night) == [STOPPING]


def test_the_fewest_are_stopped_over_all_nodes() -> None:
    house = a_house(nodes=2)
    wide = at_night(house, gpus=2)
    single = [at_night(house, gpus=1), at_night(house, gpus=1)]

    house.submit(BOB, queue="urgent", gpus=2)

    assert states(house, wide, *single) == [STOPPING, RUNNING, RUNNING]


def test_nobody_is_stopped_on_a_node_that_is_silent_drains_or_has_a_card_in_trouble() -> None:
    troubles: list[Callable[[House], object]] = [
        lambda house: house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut")),
        lambda house: house.silence("n1", 300),
        lambda house: house.do(e.SetDraining(caller=ADMIN, node="n1", draining=True)),
        lambda house: house.do(e.SetExcluded(caller=ADMIN, node="n1", card="0", excluded=True)),
        lambda house: house.beat("n1", a_card(0, state="sick", text="Xid 79")),
    ]
    for trouble in troubles:
        house = a_house(cards=1)
        house.quiet_start()
        night = at_night(house, gpus=1)
        trouble(house)

        urgent = house.submit(BOB, queue="urgent", gpus=1)

        assert house.job(night.number).stop is None
        assert house.job(urgent.number).promise is None


def test_nobody_is_stopped_in_another_pool_on_the_same_node() -> None:
    house = a_house(cards=1)
    house.pool("other", "n1")
    house.queue("urgent", pool="other", priority=10)
    night = at_night(house, gpus=1, pool="default")

    urgent = house.submit(BOB, pool="other", queue="urgent", gpus=1)

    assert states(house, night, urgent) == [RUNNING, PENDING]


def test_nobody_is_stopped_where_the_room_is_kept_for_a_job_that_goes_first() -> None:
    house = a_house()
    house.running(house.submit(gpus=1, timeout="1h"))
    night = at_night(house, gpus=1)
    first = house.submit(BOB, queue="urgent", gpus=2, priority=5)
    assert states(house, night, first) == [RUNNING, PENDING]
    house.do(e.Cancel(caller=ADMIN, number=night.number, grace_s=0))
    house.ended(house.job(night.number), exit_code=137, cause="stopped")
    house.now += 2
    house.beat("n1", a_card(0, state="held"), a_card(1))
    short = house.running(house.submit(queue="night", gpus=1, timeout="10m"))
    house.now += MIN_RUN_S

    later = house.submit(BOB, queue="urgent", gpus=1)

    assert states(house, short, later) == [RUNNING, PENDING]


# --- any pool

cards_asked = st.integers(0, 3)
jobs = st.tuples(
    st.sampled_from(["night", "dusk", "default"]),
    cards_asked,
    st.sampled_from([1, 2, 4]),
    st.integers(-1, 1),
    st.sampled_from([0.0, 30.0, 60.0, 200.0]),
)
Asked = tuple[str, int, int, int, float]

CARDS, CPUS = 3, 6


def a_full_pool(placed: list[Asked], names: list[str]) -> House:
    house = House()
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(CARDS)), cpus=CPUS)
    house.pool("default", *names)
    house.queue("night", priority=-10)
    house.queue("dusk", priority=-5)
    house.queue("urgent", priority=10)
    for queue, gpus, cpus, priority, wait_s in placed:
        job = house.submit(queue=queue, gpus=gpus, cpus=cpus, priority=priority)
        if job.state is STARTING:
            house.running(job)
        else:
            house.do(e.Cancel(caller=ADMIN, number=job.number))
        house.now += wait_s
    house.do(change("night", preemptible=True))
    house.do(change("dusk", preemptible=True))
    return house


Key = tuple[int, list[tuple[int, int]], float, list[int]]


def best_by_hand(house: House, gpus: int, cpus: int) -> tuple[Key, str, set[int]] | None:
    """Return the least loss of all sets of all nodes, by arithmetic alone."""
    priorities = {"night": -10, "dusk": -5}
    found: list[tuple[Key, str, set[int]]] = []
    for name in sorted(house.state.nodes):
        placed = list(house.state.placed.get(name, {}).values())
        may = [
            job
            for job in placed
            if job.queue in priorities and house.now - job.attempts[-1].created_at >= MIN_RUN_S
        ]
        for size in range(1, len(may) + 1):
            for chosen in combinations(may, size):
                left = [job for job in placed if job not in chosen]
                free = CARDS - sum(job.spec.gpus for job in left)
                if free < gpus or CPUS - sum(job.spec.cpus or 1 for job in left) < cpus:
                    continue
                importance = [(priorities[job.queue], job.priority) for job in chosen]
                ran_s = sum((house.now - job.attempts[-1].created_at for job in chosen), 0.0)
                numbers = sorted(int(job.number) for job in chosen)
                key = (size, sorted(importance, reverse=True), ran_s, numbers)
                found.append((key, name, set(numbers)))
    return min(found, key=lambda each: each[0], default=None)


@settings(max_examples=60, deadline=None)
@given(placed=st.lists(jobs, max_size=9), gpus=st.integers(1, 3), cpus=st.sampled_from([1, 3, 6]))
def test_in_any_pool_the_least_loss_of_all_nodes_is_chosen_and_the_job_starts_there(
    placed: list[Asked], gpus: int, cpus: int
) -> None:
    house, twin = a_full_pool(placed, ["n1", "n2"]), a_full_pool(placed, ["n2", "n1"])
    expected = best_by_hand(house, gpus, cpus)

    urgent = house.submit(BOB, queue="urgent", gpus=gpus, cpus=cpus)
    twin.submit(BOB, queue="urgent", gpus=gpus, cpus=cpus)

    stopped = {job.number for job in house.state.jobs.values() if job.stop is not None}
    assert {job.number for job in twin.state.jobs.values() if job.stop is not None} == stopped
    if urgent.state is STARTING:
        assert stopped == set()
    elif expected is None:
        assert (stopped, house.job(urgent.number).promise) == (set(), None)
    else:
        key, node, numbers = expected
        assert (len(stopped), stopped) == (key[0], numbers)
        for number in sorted(stopped):
            victim = house.job(number)
            assert victim.queue in ("night", "dusk")
            house.ended(victim, exit_code=143, cause="stopped")
        house.now += 2
        for name in ("n1", "n2"):
            house.beat(name, *(a_card(i, node=name) for i in range(CARDS)))
        assert house.job(urgent.number).state is STARTING
        assert house.job(urgent.number).attempts[-1].node == node
    assert broken(house.state) == []
