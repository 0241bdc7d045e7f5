"""Which keys no person can have pressed."""

from eaas_tui.bursts import KEPT, Bursts


def bursts(*times: float) -> Bursts:
    found = Bursts()
    for at in times:
        found.came(at)
    return found


def test_keys_of_a_fast_typist_are_no_burst() -> None:
    assert not bursts(1.0, 1.02, 1.04, 1.09).holds(1.02)


def test_a_key_that_is_held_down_is_no_burst() -> None:
    assert not any(bursts(*(n / 30 for n in range(30))).holds(n / 30) for n in range(30))


def test_four_keys_at_once_are_one_the_first_and_the_last_of_them_too() -> None:
    found = bursts(1.0, 1.001, 1.002, 1.003, 9.0)

    assert [found.holds(at) for at in (1.0, 1.002, 1.003, 9.0)] == [True, True, True, False]


def test_a_key_that_came_before_a_burst_is_not_of_it() -> None:
    assert not bursts(1.0, 1.06, 1.061, 1.062, 1.063).holds(1.0)


def test_of_a_paste_longer_than_is_remembered_every_key_is_of_a_burst() -> None:
    found = bursts(*(n / 10_000 for n in range(KEPT + 100)))

    assert found.holds(0.0)
    assert found.holds((KEPT + 50) / 10_000)
