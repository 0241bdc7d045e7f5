from eaas_tui.pace import CALM_DRAWS, GATHERED_S, Pace


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
    rests = []
    for cpu_s in (0.001, 0.01, 0.03, 0.5, 0.001):
        pace.took(cpu_s)
        rests.append(round(pace.interval_s, 3))

    assert rests == [0.1, 0.5, 1.5, 2.0, 0.1]
