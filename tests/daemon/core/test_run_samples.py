import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.core.run_samples import FIRST_EVERY_S, MAX_POINTS, CardSample, RunSamples, Series

BEGIN = 1000.0
LOADS = st.one_of(st.none(), st.integers(0, 100))
STEPS = st.lists(st.tuples(st.floats(0, 40), LOADS), min_size=1, max_size=200)


def a_run(*readings: tuple[float, int | None], max_points: int = MAX_POINTS) -> RunSamples:
    """Return a run of one card with these readings, each so many seconds after the one before."""
    run, now = RunSamples(BEGIN, ["a"], max_points=max_points), BEGIN
    for later_s, load in readings:
        now += later_s
        run.add(now, [CardSample("a", load, load)])
    return run


@given(STEPS, st.integers(2, 16))
def test_however_long_the_run_its_points_are_bounded_and_nothing_of_it_is_lost(
    readings: list[tuple[float, int | None]], max_points: int
) -> None:
    run = a_run(*readings, max_points=max_points)
    load, known = run.cards["a"].utilization, [load for _, load in readings if load is not None]

    assert 1 <= len(load) <= max_points
    assert sum(load.counts) == len(known)
    assert sum(load.totals) == sum(known)
    assert max((top for top in load.tops() if top is not None), default=None) == max(
        known, default=None
    )


@given(STEPS, st.integers(2, 16))
def test_every_reading_lies_in_the_bucket_of_its_time(
    readings: list[tuple[float, int | None]], max_points: int
) -> None:
    run, now = a_run(*readings, max_points=max_points), BEGIN
    buckets: dict[int, list[int]] = {}
    for later_s, load in readings:
        now += later_s
        if load is not None:
            buckets.setdefault(int((now - BEGIN) / run.every_s), []).append(load)

    means, tops = run.cards["a"].utilization.means(), run.cards["a"].utilization.tops()
    assert {at for at, mean in enumerate(means) if mean is not None} == buckets.keys()
    for at, loads in buckets.items():
        assert means[at] == round(sum(loads) / len(loads))
        assert tops[at] == max(loads)


@given(STEPS, st.integers(2, 16))
def test_time_only_runs_forward_and_a_point_is_only_ever_made_twice_as_long(
    readings: list[tuple[float, int | None]], max_points: int
) -> None:
    run, now, before = RunSamples(BEGIN, ["a"], max_points=max_points), BEGIN, (0.0, 0.0)
    for later_s, load in readings:
        now += later_s
        run.add(now, [CardSample("a", load, load)])
        end = BEGIN + run.points * run.every_s
        assert before <= (run.every_s, end)
        assert end - run.every_s <= now < end + 1e-6
        before = run.every_s, end if run.every_s == before[0] else 0.0


def test_two_points_become_one_with_the_mean_of_all_and_the_most_of_both() -> None:
    series = Series()
    for bucket, load in ((0, 10), (0, 20), (1, 90), (2, 5)):
        series.put(bucket, load)

    series.halve()

    assert series.means() == (40, 5)
    assert series.tops() == (90, 5)


def test_time_without_a_reading_is_unknown_and_not_zero() -> None:
    run = a_run((0, 0), (15, 7), (5, None))

    assert run.cards["a"].utilization.means() == (0, None, None, 7, None)
    assert run.cards["a"].utilization.tops() == (0, None, None, 7, None)


def test_a_clock_that_is_set_back_changes_nothing_that_was() -> None:
    run = a_run((20, 10), (-15, 30))

    assert run.cards["a"].utilization.means() == (None, None, None, None, 20)


@pytest.mark.parametrize("run_s", [3600.0, 86400.0, 3e9])
def test_a_silence_of_any_length_is_bounded(run_s: float) -> None:
    run = a_run((0, 50), (run_s, 100))

    means = run.cards["a"].utilization.means()
    assert len(means) <= MAX_POINTS
    assert (means[0], means[-1]) == (50, 100)
    assert set(means[1:-1]) == {None}


def test_cards_share_one_axis_and_others_cards_are_not_in_it() -> None:
    run = RunSamples(BEGIN, ["a", "b"])

    run.add(BEGIN, [CardSample("a", 1, 2, 24576), CardSample("other", 9, 9)])
    run.add(BEGIN + FIRST_EVERY_S, [CardSample("b", 3, 4), CardSample("a", None, None)])

    assert run.points == 2
    assert run.cards["a"].memory.means() == (2, None)
    assert run.cards["b"].memory.means() == (None, 4)
    assert run.cards["a"].memory_total_mib == 24576
    assert list(run.cards) == ["a", "b"]
