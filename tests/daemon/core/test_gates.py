from typing import Any

import pytest

from eaas.errors import Invalid
from eaas.ids import PoolName
from eaas.lifecycle import JobState
from eaas.sentences import sentence
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.gates import gates
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def a_house() -> House:
    house = House()
    house.node("n1", *(a_card(i) for i in range(8)))
    house.pool("default", "n1")
    return house


def shut(house: House, job: Job) -> list[str]:
    state = house.state
    pool, queue = state.pools[job.pool], state.queues[job.ref]
    return [sentence(reason) for reason in gates(shape_of(job), queue, pool, state.held)]


def cap_pool(house: House, cards: int | None) -> None:
    settings = SetPool(max_gpus_per_user=cards)
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=settings))


@pytest.mark.parametrize(
    ("caps", "sentence"),
    [
        ({"max_running": 2}, "queue default/default may run 2 jobs at once and runs 2"),
        (
            {"max_gpus": 5},
            "queue default/default may hold 5 cards at once and holds 4; 2 more would be too many",
        ),
        ({"max_per_user": 2}, "in queue default/default alice may run 2 jobs at once and runs 2"),
        (
            {"max_gpus_per_user": 4},
            "in queue default/default alice may hold 4 cards at once and holds 4;"
            " 2 more would be too many",
        ),
    ],
)
def test_a_cap_of_the_queue_holds_the_third_job_back_and_says_so(
    caps: dict[str, Any], sentence: str
) -> None:
    house = a_house()
    house.queue("default", **caps)

    jobs = [house.submit(ALICE, gpus=2) for _ in range(3)]

    assert [job.state for job in jobs] == [JobState.STARTING, JobState.STARTING, JobState.PENDING]
    assert shut(house, jobs[2]) == [sentence]


def test_a_cap_for_one_user_leaves_room_for_another() -> None:
    house = a_house()
    house.queue("default", max_per_user=1)

    mine, other, his = house.submit(ALICE), house.submit(ALICE), house.submit(BOB)

    assert [job.state for job in (mine, other, his)] == [
        JobState.STARTING,
        JobState.PENDING,
        JobState.STARTING,
    ]


def test_the_pools_cap_counts_all_queues_together() -> None:
    house = a_house()
    house.queue("night")
    cap_pool(house, 3)

    first, second = house.submit(gpus=2), house.submit(gpus=2, queue="night")

    assert (first.state, second.state) == (JobState.STARTING, JobState.PENDING)
    assert shut(house, second) == [
        "in pool default alice may hold 3 cards at once and holds 2; 2 more would be too many"
    ]


def test_a_cap_that_is_raised_lets_the_next_one_go_in_that_step() -> None:
    house = a_house()
    cap_pool(house, 1)
    house.submit(gpus=1)
    second = house.submit(gpus=1)
    assert second.state is JobState.PENDING

    cap_pool(house, 2)

    assert house.job(second.number).state is JobState.STARTING


def test_what_ends_makes_room_under_a_cap() -> None:
    house = a_house()
    house.queue("default", max_per_user=1)
    first, second = house.submit(), house.submit()

    house.ended(house.running(first))

    assert house.job(second.number).state is JobState.STARTING


def test_a_job_without_cards_is_not_held_back_by_a_cap_of_cards() -> None:
    house = a_house()
    house.queue("default", max_gpus=0, max_gpus_per_user=0)
    cap_pool(house, 0)

    assert house.submit(gpus=0).state is JobState.STARTING


@pytest.mark.parametrize("cap", ["max_gpus", "max_gpus_per_user"])
def test_a_job_that_asks_for_more_than_a_cap_is_refused_at_once(cap: str) -> None:
    house = a_house()
    caps: dict[str, Any] = {cap: 2}
    house.queue("default", **caps)

    with pytest.raises(Invalid, match="gpus must be 2 at most"):
        house.submit(gpus=3)


def test_a_job_that_asks_for_more_than_the_pool_gives_one_user_is_refused_at_once() -> None:
    house = a_house()
    cap_pool(house, 1)

    with pytest.raises(Invalid, match="pool default gives one user 1 card at once"):
        house.submit(gpus=2)


def test_every_gate_that_is_shut_is_told() -> None:
    house = a_house()
    house.queue("default", max_running=1, max_per_user=1)
    house.submit()
    job = house.submit()
    house.queue("default", paused=True)

    assert [
        reason.code
        for reason in gates(
            shape_of(job),
            house.state.queues[job.ref],
            house.state.pools[PoolName("default")],
            house.state.held,
        )
    ] == ["queue_paused", "queue_full", "user_cap"]


def states(house: House, first: Job) -> list[str]:
    return [house.job(first.number + i).state.value for i in range(len(first.spec.array))]


def test_no_more_tasks_of_an_array_run_than_it_says_and_the_next_starts_when_one_ends() -> None:
    house = a_house()
    first = house.submit(array="0-3%2", gpus=1)
    beside = house.submit(gpus=1)

    assert states(house, first) == ["Starting", "Starting", "Pending", "Pending"]
    assert shut(house, house.job(3)) == [
        "array 1 may run 2 tasks at once, its own limit, and runs 2"
    ]
    assert beside.state is JobState.STARTING

    house.ended(house.running(first))

    assert states(house, first) == ["Succeeded", "Starting", "Starting", "Pending"]


def test_a_task_that_was_moved_to_another_pool_counts_in_its_array_and_starts_when_one_ends() -> (
    None
):
    house = a_house()
    house.node("n2", a_card(0, node="n2"))
    house.pool("other", "n2")
    first = house.submit(array="0-1%1", gpus=1, pool="default")
    move = e.Move(caller=ADMIN, number=house.job(2).number, pool=PoolName("other"), queue="default")
    house.do(move)
    assert states(house, first) == ["Starting", "Pending"]

    house.ended(house.running(first))

    assert house.job(2).attempts[-1].node == "n2"


def test_tasks_of_an_array_without_a_limit_are_alike_to_the_scheduler_whatever_their_array() -> (
    None
):
    house = a_house()
    one, other = house.submit(array="0-1"), house.submit(array="0-1")
    limited = house.submit(array="0-1%1")

    assert shape_of(one) == shape_of(other) == shape_of(house.job(2))
    assert shape_of(limited) == shape_of(house.job(limited.number + 1)) != shape_of(one)
