from hypothesis import given
from hypothesis import strategies as st

from eaas_daemon.core.link_history import (
    CALM_S,
    FLAPS,
    HOUR_S,
    LinkEnd,
    LinkHistory,
    ended,
    flapping_text,
    measured,
    moved,
    returned,
    settled,
    skew_text,
)

CUT = LinkEnd(at=0.0, why="ping timeout", address="10.0.0.4")


def after(*returns: float) -> LinkHistory:
    """Return the history of a node that was cut and came back at these times."""
    past = ended(LinkHistory(), CUT)
    for at in returns:
        past = returned(settled(past, at), at)
    return past


def test_the_sixth_return_within_an_hour_is_flapping() -> None:
    five = after(*range(0, 3500, 700))

    assert not five.is_flapping
    assert returned(five, 3550.0).flapping_since == 3550.0
    assert not returned(five, 3700.0).is_flapping


def test_flapping_is_over_after_half_an_hour_without_a_return() -> None:
    past = after(*range(6))

    assert settled(past, 5 + CALM_S - 1).is_flapping
    assert not settled(past, 5 + CALM_S).is_flapping


def test_what_the_controller_ended_itself_is_no_return_of_the_node() -> None:
    past = ended(LinkHistory(), LinkEnd(at=0.0, why="it stopped", address=None, by="controller"))

    for at in range(20):
        past = returned(past, float(at))

    assert (past.returns, past.is_flapping) == ((), False)


def test_a_flapping_node_is_told_of_in_one_line() -> None:
    past = moved(after(*range(14)), "10.0.0.4", "10.0.0.9", 13.0)

    assert flapping_text(past, "10.0.0.9", 13.0) == (
        "reconnected 14 times this hour; last end: ping timeout; "
        "address changed from 10.0.0.4 to 10.0.0.9"
    )


def test_an_address_is_another_for_an_hour() -> None:
    past = moved(LinkHistory(), "10.0.0.4", "10.0.0.9", 0.0)

    assert settled(past, HOUR_S - 1) == past
    assert settled(past, HOUR_S) == LinkHistory()


def test_a_node_without_an_address_before_or_now_has_not_moved() -> None:
    for was, now in ((None, "10.0.0.9"), ("10.0.0.4", None), ("10.0.0.4", "10.0.0.4")):
        assert moved(LinkHistory(), was, now, 0.0) == LinkHistory()


def test_a_clock_is_wrong_from_30_s_on_and_right_again_below_25() -> None:
    past, wrong = LinkHistory(), []
    for at, ahead_s in enumerate((29.0, -31.0, -26.0, -24.0, 29.0)):
        past = measured(past, ahead_s, float(at))
        wrong.append(past.skew_since)

    assert wrong == [None, 1.0, 1.0, None, None]


def test_a_clock_that_was_not_measured_is_as_it_was() -> None:
    past = measured(LinkHistory(), 40.0, 1.0)

    assert measured(past, None, 2.0) is past


def test_a_wrong_clock_is_told_of_with_its_side() -> None:
    assert skew_text(45.4).startswith("its clock is 45 s ahead of the controller's")
    assert skew_text(-45.4).startswith("its clock is 45 s behind the controller's")


@given(st.lists(st.floats(0.0, 5000.0), max_size=300))
def test_flapping_holds_exactly_while_returns_are_many_and_not_long_ago(gaps: list[float]) -> None:
    now, past = 0.0, ended(LinkHistory(), CUT)
    for gap in gaps:
        before = settled(past, now + gap)
        assert before.is_flapping == (past.is_flapping and gap < CALM_S)
        now += gap
        past = returned(before, now)
        lately = [at for at in past.returns if now - HOUR_S < at]
        assert past.returns == tuple(lately)
        assert past.is_flapping == (before.is_flapping or len(lately) >= FLAPS)
