from eaas_agent.clocks import Clocks


class Times:
    """A node's clock and its monotonic clock, in the hand of a test."""

    def __init__(self) -> None:
        self.wall = 5000.0
        self.steady = 70.0
        self.clocks = Clocks(lambda: self.wall, lambda: self.steady)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


def test_nothing_is_known_before_the_controller_has_answered() -> None:
    assert Times().clocks.ahead_s() is None


def test_half_the_round_trip_is_taken_off() -> None:
    times = Times()
    times.clocks.asked()
    times.passes(4.0)
    times.clocks.answered(5002.0 - 45.0)  # it said so when 2 of the 4 s had passed

    assert times.clocks.ahead_s() == 45.0
    times.passes(3600.0)
    assert times.clocks.ahead_s() == 45.0


def test_a_clock_that_is_set_later_is_seen() -> None:
    times = Times()
    times.clocks.asked()
    times.clocks.answered(5000.0)
    assert times.clocks.ahead_s() == 0.0

    times.wall -= 90.0

    assert times.clocks.ahead_s() == -90.0
