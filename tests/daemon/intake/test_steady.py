import pytest

from eaas_daemon.intake.steady import BELIEVED_AFTER_S, SteadyTime

HOUR = 3600.0


class Machine:
    """A clock that can be set, and one that can't."""

    def __init__(self) -> None:
        self.clock = self.passed = 1000.0
        self.time = SteadyTime(lambda: self.clock, lambda: self.passed)

    def after(self, seconds: float, *, jump: float = 0.0) -> float:
        self.passed += seconds
        self.clock += seconds + jump
        return self.time.at()


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_a_clock_that_goes_right_is_believed_with_all_that_puts_it_right(machine: Machine) -> None:
    assert machine.after(HOUR) == machine.clock
    assert machine.after(HOUR, jump=2.0) == machine.clock
    assert machine.after(HOUR, jump=-400.0) == machine.clock


def test_a_year_in_an_hour_is_an_hour_until_it_has_stood_for_a_day(machine: Machine) -> None:
    assert machine.after(HOUR, jump=365 * 24 * HOUR) == 1000.0 + HOUR
    assert machine.after(HOUR) == 1000.0 + 2 * HOUR

    assert machine.after(BELIEVED_AFTER_S) == machine.clock


def test_a_jump_that_somebody_takes_back_is_forgotten(machine: Machine) -> None:
    machine.after(HOUR, jump=99 * HOUR)
    assert machine.after(HOUR, jump=-99 * HOUR) == machine.clock

    assert machine.after(BELIEVED_AFTER_S, jump=99 * HOUR) == machine.clock - 99 * HOUR
