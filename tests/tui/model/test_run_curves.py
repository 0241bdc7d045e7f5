from datetime import UTC

from eaas.units import utc_text
from eaas_tui.model.run_curves import moment, run_caption, run_curves, run_length_s
from tests.rig.runs import a_card_run, a_run
from tests.rig.views import AT, a_card, an_attempt


def test_a_run_is_two_curves_a_card_from_its_start_to_now() -> None:
    load, memory = run_curves(a_run(a_card_run(3, 10, None, 30)), an_attempt(), UTC)

    assert (load.title, load.short, load.unit) == ("card 3 utilisation", "card 3 util", "%")
    assert (load.values, load.peaks, load.top) == ((10, None, 30), (15, None, 35), 100)
    assert (load.since, load.until) == ("23:59:10", "now")
    assert load.is_whole
    assert load.is_live
    assert (memory.unit, memory.values, memory.top) == ("GiB", (12, 12, 12), 24)


def test_a_run_that_is_over_ends_when_its_attempt_did() -> None:
    attempt = an_attempt(finished_at=utc_text(AT + 61))

    load, _ = run_curves(a_run(a_card_run(0, 10)), attempt, UTC)

    assert load.until == "00:01:01"
    assert not load.is_live


def test_a_card_of_unknown_size_is_as_large_as_what_was_used_of_it() -> None:
    _, memory = run_curves(a_run(a_card_run(None, 10, memory_total_mib=None)), an_attempt(), UTC)
    card = a_card_run(0, memory_total_mib=None)

    assert memory.top == 12
    assert memory.title == "card GPU-n1-None memory"
    assert run_curves(a_run(card), an_attempt(), UTC)[1].top == 1


def test_a_long_run_says_the_day_too() -> None:
    assert moment(utc_text(AT), 3600, UTC) == "00:00:00"
    assert moment(utc_text(AT), 80_000, UTC) == "01-01 00:00"
    assert moment(None, 0, UTC) == "start"


def test_the_caption_says_whose_run_it_is_and_what_a_point_means() -> None:
    run = a_run(a_card_run(0, 10, 20), every_s=320.0)

    assert run_length_s(run) == 640
    assert run_caption(run, an_attempt(2), 3) == (
        "attempt 2 of 3 on n1; a point is 5m20s: its mean, in grey its most"
    )


def test_a_live_run_ends_in_what_its_cards_do_now_and_one_that_is_over_does_not() -> None:
    run = a_run(a_card_run(0, 10))
    card = a_card(0, uuid=run.cards[0].uuid, utilization_pct=77, memory_used_mib=2048)
    ended = an_attempt(finished_at=utc_text(AT + 60))

    live = run_curves(run, an_attempt(), UTC, cards={card.uuid: card})
    over = run_curves(run, ended, UTC, cards={card.uuid: card})

    assert [curve.now for curve in live] == [77, 2.0]
    assert [curve.now for curve in over] == [None, None]
