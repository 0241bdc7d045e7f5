from statistics import fmean

import pytest

from bench.simulate.week import HABITS, PROMISED_S, apportioned, week
from bench.simulate.workload import PoolSize

POOL = PoolSize()
WEEK = week(POOL, seed=1, jobs=5000, days=7)


def test_one_seed_gives_one_week_and_another_gives_another() -> None:
    assert week(POOL, seed=1, jobs=5000, days=7) == WEEK
    assert week(POOL, seed=2, jobs=5000, days=7) != WEEK


def test_the_week_has_all_its_jobs_in_order_and_within_its_days() -> None:
    times = [job.at_s for job in WEEK.submissions]

    assert len(times) == 5000
    assert times == sorted(times)
    assert times[0] == 0
    assert 6.5 * 86400 < times[-1] <= 7 * 86400


def test_the_week_asks_for_nearly_all_that_there_is() -> None:
    load = WEEK.load(POOL)

    assert load is not None
    assert 0.85 < load < 0.98


def test_most_jobs_want_one_card_and_some_want_a_whole_node() -> None:
    counts = [sum(job.cards == cards for job in WEEK.submissions) for cards in (0, 1, 2, 4, 8)]

    assert sum(counts) == 5000
    assert counts[1] > 3000
    assert all(100 < count < 700 for count in (counts[0], *counts[2:]))


def test_lengths_go_from_seconds_to_days() -> None:
    lengths = sorted(job.length_s for job in WEEK.submissions)

    assert lengths[50] < 120
    assert 600 < lengths[2500] < 3600
    assert lengths[-50] > 86400


def test_more_is_submitted_by_day_than_by_night_and_on_weekends() -> None:
    hours = [(WEEK.begins_at + job.at_s) // 3600 for job in WEEK.submissions]
    workdays = [hour % 24 for hour in hours if (hour // 24 - 4) % 7 + 1 <= 5]

    assert sum(9 <= hour < 19 for hour in workdays) > 5 * sum(hour < 7 for hour in workdays)
    assert len(hours) - len(workdays) < len(workdays) / 4


def test_timeouts_are_round_and_mostly_far_too_long() -> None:
    promised = [(job.timeout_s, job.length_s) for job in WEEK.submissions if job.timeout_s]

    assert 0.4 < len(promised) / 5000 < 0.7
    assert {timeout_s for timeout_s, _ in promised} <= {*PROMISED_S}
    assert fmean(timeout_s > 2 * length_s for timeout_s, length_s in promised) > 0.6
    assert 0.01 < fmean(timeout_s < length_s for timeout_s, length_s in promised) < 0.1


def test_every_user_submits_their_share() -> None:
    counts = {habit.user: 0 for habit in HABITS}
    for job in WEEK.submissions:
        counts[job.user] += 1

    assert counts == {habit.user: 50 * habit.share for habit in HABITS}


def test_a_small_pool_gets_jobs_that_fit_it() -> None:
    small = week(PoolSize(nodes=1, cards=2), seed=1, jobs=100, days=0.5)

    assert len(small.submissions) == 100
    assert {job.cards for job in small.submissions} == {0, 1, 2}
    assert max(job.cpus for job in small.submissions) <= 16
    assert small.last_s <= 43200


@pytest.mark.parametrize("count", [0, 1, 7, 100])
def test_shares_are_apportioned_without_a_rest(count: int) -> None:
    assert sum(apportioned([3, 1, 1.5], count)) == count
