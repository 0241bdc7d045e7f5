import pytest

from eaas_tui.pace import CALM_DRAWS, GATHERED_S, LONGEST_REST_S, SHARE, Pace


def test_a_picture_waits_for_what_comes_with_it_and_the_next_a_tenth_of_a_second() -> None:
    pace = Pace()

    assert pace.wait_s(100.0) == GATHERED_S
    pace.drawn(100.0)
    assert 0.05 < pace.wait_s(100.04) < 0.07
    assert pace.wait_s(100.09) == GATHERED_S


def test_a_terminal_that_is_behind_gets_fewer_pictures_step_by_step() -> None:
    pace = Pace()
    seen = []
    for at in range(4):
        pace.skipped(float(at))
        seen.append(pace.interval_s)

    assert seen == [1.0, 2.0, 5.0, 5.0]


def test_a_terminal_that_keeps_up_again_gets_more_pictures_again() -> None:
    pace = Pace()
    pace.skipped(0.0)
    pace.skipped(1.0)
    for at in range(2 * CALM_DRAWS):
        pace.drawn(float(at))

    assert pace.interval_s == 0.1


def test_a_link_said_to_be_slow_is_never_tried_faster() -> None:
    pace = Pace(slow=True)
    for at in range(20):
        pace.drawn(float(at))

    assert pace.interval_s == 5.0


def test_what_takes_much_to_draw_is_drawn_more_rarely_but_never_put_off_for_long() -> None:
    pace = Pace()
    now = spent_s = longest_s = 0.0
    while now < 600:
        pace.drawn(now)
        pace.took(0.03, now)
        spent_s += 0.03
        longest_s = max(longest_s, pace.wait_s(now))
        now += pace.wait_s(now)

    assert spent_s / 600 == pytest.approx(SHARE, rel=0.05)
    assert 1.0 < longest_s <= LONGEST_REST_S
    pace.took(9.0, now)
    assert pace.interval_s == LONGEST_REST_S


def test_numbers_wait_for_those_before_them_until_the_longest_rest_is_over() -> None:
    pace = Pace()

    assert pace.put_off_s(100.0) == 0.0
    pace.drawn(100.0)
    assert pace.put_off_s(100.5) == LONGEST_REST_S - 0.5
    assert pace.put_off_s(100.0 + LONGEST_REST_S) == 0.0


def test_after_a_calm_the_next_picture_comes_at_once_whatever_it_takes() -> None:
    pace = Pace()
    pace.took(0.09, 0.0)
    assert pace.interval_s == 0.1
    pace.took(0.09, 10.0)
    assert pace.interval_s == 0.1
