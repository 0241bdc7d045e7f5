"""The order that is kept is the order of all, whatever has changed meanwhile."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.lifecycle import JobState
from eaas.units import utc_text
from eaas.views import JobView
from eaas_tui.model.kept_order import KeptOrder
from eaas_tui.model.order import SORTS, ordered
from tests.rig.costs import cost_s
from tests.rig.views import AT, a_job

NUMBERS = 40

numbers = st.integers(1, NUMBERS)
drawn_jobs = st.builds(
    a_job,
    numbers,
    st.sampled_from([str(state) for state in JobState]),
    name=st.sampled_from(("a", "B", None)),
    user=st.sampled_from("xyz"),
    pool=st.sampled_from(("p", "q")),
    position=st.sampled_from((None, 1, 2, 3)),
    priority=st.integers(-1, 1),
    run_s=st.sampled_from((None, 1.0, 2.0)),
    finished_at=st.sampled_from((None, utc_text(AT), utc_text(AT + 1))),
)
steps = st.lists(
    st.tuples(st.lists(drawn_jobs, max_size=6), st.sets(numbers, max_size=3)), max_size=6
)
"""In each some jobs come or change, and some go."""


def in_any_order(jobs: dict[int, JobView], chance: random.Random) -> list[JobView]:
    return chance.sample(list(jobs.values()), len(jobs))


@given(first=st.lists(drawn_jobs, max_size=NUMBERS), steps=steps, sort=st.sampled_from(SORTS))
@pytest.mark.parametrize("reverse", [False, True])
def test_what_changes_step_by_step_stands_where_sorting_all_puts_it(
    reverse: bool, first: list[JobView], steps: list[tuple[list[JobView], set[int]]], sort: str
) -> None:
    kept, chance = KeptOrder(), random.Random(1)
    jobs = {job.id: job for job in first}
    for come, gone in [([], set()), *steps]:
        jobs |= {job.id: job for job in come}
        jobs = {id: job for id, job in jobs.items() if id not in gone}

        answer = kept.of(in_any_order(jobs, chance), sort, now=AT, reverse=reverse)

        assert answer == ordered(jobs.values(), sort, now=AT, reverse=reverse)


def test_another_order_is_asked_for_and_the_first_one_again() -> None:
    jobs = [a_job(id, user="xyz"[id % 3]) for id in range(1, 20)]
    kept = KeptOrder()

    answers = [kept.of(jobs, sort) for sort in ("user", "id", "time", "user")]

    assert answers == [ordered(jobs, sort) for sort in ("user", "id", "time", "user")]


def test_fifty_changes_of_ten_thousand_cost_less_than_half_of_sorting_all() -> None:
    chance = random.Random(1)
    jobs = {id: a_job(id, position=10_000 - id) for id in range(10_000)}
    others = [a_job(id, position=chance.randrange(10_000)) for id in range(0, 10_000, 200)]
    after = jobs | {job.id: job for job in others}
    kept = KeptOrder()
    kept.of(list(jobs.values()))
    turns = iter((after, jobs) * 50)

    merged_s = cost_s(lambda: kept.of(list(next(turns).values())), times=5)

    assert merged_s < cost_s(lambda: ordered(after.values()), times=5) / 2
