from hypothesis import given
from hypothesis import strategies as st

from eaas_tui.model.history import EVERY_S, KEPT, History, Past, shares
from tests.rig.views import a_card


def test_a_sample_is_the_mean_of_five_seconds() -> None:
    history = History()

    for second, load in enumerate((10, 20, 30, 40, 50, 99)):
        history.add([a_card(utilization_pct=load, memory_used_mib=12288)], float(second))

    assert history.samples["GPU-n1-0"].utilization_pct == (30,)
    assert history.samples["GPU-n1-0"].memory_pct == (50,)


def test_the_first_reading_is_shown_at_once() -> None:
    history = History()

    history.add([a_card(utilization_pct=10)], 0.0)

    assert history.samples["GPU-n1-0"].utilization_pct == (10,)


def test_time_without_a_reading_is_unknown() -> None:
    history = History()

    history.add([a_card(utilization_pct=10)], 0.0)
    history.add([a_card(utilization_pct=20)], 15.0)
    history.add([a_card(utilization_pct=None, memory_total_mib=None)], 20.0)
    history.add([a_card(utilization_pct=20)], 25.0)

    assert history.samples["GPU-n1-0"].utilization_pct == (10, None, None, 20, None)
    assert history.samples["GPU-n1-0"].memory_pct[-1] is None


def test_no_more_than_a_quarter_of_an_hour_is_kept() -> None:
    history = History()

    for sample in range(KEPT + 20):
        history.add([a_card(utilization_pct=sample % 100)], sample * EVERY_S)
    history.add([a_card()], 1e7)

    assert history.samples["GPU-n1-0"].utilization_pct == (None,) * KEPT


def test_the_samples_are_the_same_object_until_one_is_complete() -> None:
    history = History()
    history.add([a_card()], 0.0)
    before = history.samples

    history.add([a_card()], 1.0)
    assert history.samples is before

    history.add([a_card()], 5.0)
    assert history.samples is not before


def test_a_card_that_is_gone_is_forgotten() -> None:
    history = History()
    history.add([a_card(0), a_card(1)], 0.0)
    assert len(history.samples) == 2

    history.keep_only(["GPU-n1-1"])

    assert list(history.samples) == ["GPU-n1-1"]


def test_a_clock_that_is_set_back_does_no_harm() -> None:
    history = History()
    history.add([a_card(utilization_pct=1)], 1000.0)
    history.add([a_card(utilization_pct=2)], 10.0)
    history.add([a_card(utilization_pct=3)], 15.0)

    assert history.samples["GPU-n1-0"].utilization_pct == (1, 2)


def a_past(begin: float, *loads: int | None, every_s: float = 10.0) -> Past:
    return Past(begin=begin, every_s=every_s, utilization_pct=loads, memory_pct=loads)


def test_what_somebody_else_saw_stands_before_what_was_seen_here() -> None:
    history = History()
    history.add([a_card(utilization_pct=50)], 1020.0)
    history.add([a_card(utilization_pct=60)], 1025.0)

    history.fill("GPU-n1-0", a_past(1000.0, 10, 20, 99), 1025.0)

    assert list(history.samples["GPU-n1-0"].utilization_pct) == [10, 10, 20, 20, 50]
    history.add([a_card(utilization_pct=70)], 1030.0)
    assert list(history.samples["GPU-n1-0"].utilization_pct) == [10, 10, 20, 20, 50, 60]


def test_a_gap_of_this_console_is_filled_and_one_of_both_stays_unknown() -> None:
    history = History()
    history.add([a_card(utilization_pct=1)], 1000.0)
    history.add([a_card(utilization_pct=2)], 1030.0)

    history.fill("GPU-n1-0", a_past(1000.0, 90, None, 80), 1030.0)

    assert history.samples["GPU-n1-0"].utilization_pct == (1, 90, None, None, 80, 80)


def test_a_card_of_which_nothing_was_read_yet_begins_with_what_somebody_else_saw() -> None:
    history = History()

    history.fill("GPU-n1-0", a_past(1000.0, 10, 20), 1020.0)

    assert list(history.samples["GPU-n1-0"].utilization_pct) == [10, 10, 20, 20]
    history.add([a_card(utilization_pct=50)], 1020.0)
    history.add([a_card(utilization_pct=50)], 1025.0)
    assert history.samples["GPU-n1-0"].utilization_pct == (10, 10, 20, 20, 50)


@given(
    st.floats(0, 3000),
    st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=200),
    st.sampled_from([5.0, 10.0, 60.0]),
)
def test_whatever_is_told_no_more_than_a_quarter_of_an_hour_is_kept_and_our_own_stays(
    begin: float, loads: list[int | None], every_s: float
) -> None:
    history = History()
    history.add([a_card(utilization_pct=7)], 2000.0)
    history.add([a_card(utilization_pct=8)], 2005.0)

    history.fill("GPU-n1-0", a_past(begin, *loads, every_s=every_s), 2005.0)

    samples = history.samples["GPU-n1-0"]
    assert 1 <= len(samples.utilization_pct) == len(samples.memory_pct) <= KEPT
    assert samples.utilization_pct[-1] == 7


def test_memory_is_a_share_of_what_the_card_has() -> None:
    assert shares([None, 0, 12288, 99999], 24576) == [None, 0, 50, 100]
    assert shares([5], None) == [None]
