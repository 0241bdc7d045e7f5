import random

import pytest

from eaas.units import utc_text
from eaas.views import JobView
from eaas_tui.model.order import SORTS, merged, ordered
from tests.rig.costs import cost_s
from tests.rig.views import AT, a_job


def ids(jobs: list[JobView]) -> list[int]:
    return [job.id for job in jobs]


def test_by_default_jobs_are_as_the_controller_lists_them() -> None:
    jobs = [
        a_job(1, "Failed", finished_at=utc_text(AT - 50)),
        a_job(2, "Succeeded", finished_at=utc_text(AT - 10)),
        a_job(3, position=None),
        a_job(4, position=2),
        a_job(5, position=1),
        a_job(6, position=1, pool="another"),
        a_job(8, "Running"),
        a_job(7, "Unknown"),
    ]

    assert ids(ordered(jobs)) == [7, 8, 6, 5, 4, 3, 2, 1]
    assert ids(ordered(jobs, reverse=True)) == [1, 2, 3, 4, 5, 6, 8, 7]
    assert ids(ordered(jobs, "no such column")) == ids(ordered(jobs))


def test_equal_jobs_stay_in_the_order_of_their_numbers_in_reverse_too() -> None:
    jobs = [a_job(3, user="Bob"), a_job(1, user="bob"), a_job(2, user="alice")]

    assert ids(ordered(jobs, "user")) == [2, 1, 3]
    assert ids(ordered(jobs, "user", reverse=True)) == [1, 3, 2]


def test_a_job_without_the_value_comes_last_either_way() -> None:
    jobs = [a_job(1), a_job(2, "Running", node="n2"), a_job(3, "Running", node="n1")]

    assert ids(ordered(jobs, "node")) == [3, 2, 1]
    assert ids(ordered(jobs, "node", reverse=True)) == [2, 3, 1]


def test_by_time_the_running_are_measured_now() -> None:
    jobs = [
        a_job(1, "Running", started_at=utc_text(AT - 100)),
        a_job(2, "Succeeded", run_s=50.0),
        a_job(3),
    ]

    assert ids(ordered(jobs, "time", now=AT)) == [2, 1, 3]


def test_the_most_cards_and_the_highest_priority_come_first() -> None:
    jobs = [a_job(1, spec={"gpus": 1}), a_job(2, spec={"gpus": 8}, priority=5)]

    assert ids(ordered(jobs, "gpus")) == [2, 1]
    assert ids(ordered(jobs, "priority")) == [2, 1]


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_holds_whatever_came_first(sort: str) -> None:
    states = ("Pending", "Running", "Failed")
    jobs = [a_job(id, states[id % 3], user=f"u{id % 4}", priority=id % 5) for id in range(30)]
    shuffled = random.Random(1).sample(jobs, len(jobs))

    assert ordered(shuffled, sort, now=AT) == ordered(jobs, sort, now=AT)


@pytest.mark.parametrize("sort", ["order", "name", "reason", "time"])
def test_ten_thousand_jobs_are_sorted_within_20_milliseconds(sort: str) -> None:
    chance = random.Random(1)
    states = ("Pending", "Running", "Failed")
    jobs = [a_job(id, chance.choice(states), position=10_000 - id) for id in range(10_000)]
    chance.shuffle(jobs)

    assert (
        cost_s(lambda: ordered(jobs, sort, now=AT)) < 0.020 * 2
    )  # twice: others use the caches too


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sort", SORTS)
def test_two_ordered_lists_are_merged_into_the_order_of_all(sort: str, reverse: bool) -> None:
    chance = random.Random(1)
    states = ("Running", "Pending", "Succeeded", "Failed")
    jobs = [
        a_job(
            id,
            chance.choice(states),
            name=chance.choice(("a", "b", None)),
            user=chance.choice("xyz"),
            run_s=chance.choice((None, 1.0, 2.0)),
            priority=chance.randrange(3),
            finished_at=chance.choice((None, utc_text(AT), utc_text(AT + 1))),
        )
        for id in range(120)
    ]
    some = {job.id for job in chance.sample(jobs, 30)}
    few, many = (
        ordered([job for job in jobs if (job.id in some) is wanted], sort, reverse=reverse)
        for wanted in (True, False)
    )

    assert ids(merged(many, few, sort, reverse=reverse)) == ids(
        ordered(jobs, sort, reverse=reverse)
    )
