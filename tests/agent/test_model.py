from msgspec.structs import replace

from eaas.wire.from_agent import Held
from eaas.wire.to_agent import Stop
from eaas_agent.model import Attempt, Roster
from tests.rig.agents import an_order


def an_attempt(uid: str, attempt: int, state: str = "running") -> Attempt:
    held = Attempt(order=an_order(uid=uid, attempt=attempt), state="running", boot_id="b")
    return replace(held, state=state)


def test_a_roster_knows_the_attempts_of_a_job_in_order() -> None:
    roster = Roster()
    for attempt in (an_attempt("a", 2), an_attempt("b", 1), an_attempt("a", 1)):
        roster.put(attempt)

    assert [held.order.attempt for held in roster.of_job("a")] == [1, 2]
    assert len(roster) == 3


def test_a_dropped_attempt_is_gone_and_dropping_twice_is_harmless() -> None:
    roster, attempt = Roster(), an_attempt("a", 1)
    roster.put(attempt)

    roster.drop(attempt.key)
    roster.drop(attempt.key)

    assert roster.of_job("a") == []
    assert list(roster) == []


def test_an_attempt_that_nobody_named_tells_how_it_is_being_stopped() -> None:
    stop = Stop(grace_s=30, why="unwanted", again=True)
    attempt = replace(an_attempt("a", 1, "stopping"), stop=stop)

    assert attempt.unlisted().order == replace(attempt.order, stop=stop)


def test_an_attempt_is_greeted_as_it_stands() -> None:
    attempt = replace(an_attempt("a", 1, "stopping"), started_at=5.0)

    assert attempt.held() == Held(
        uid="a",
        number=attempt.order.number,
        attempt=1,
        epoch=1,
        state="stopping",
        started_at=5.0,
    )
