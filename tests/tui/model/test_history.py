from eaas_tui.model.history import EVERY_S, KEPT, History
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
