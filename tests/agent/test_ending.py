from msgspec.structs import replace

from eaas.wire.from_agent import AttemptEnded
from eaas.wire.to_agent import Stop
from eaas_agent.ending import arm, end_attempt, forget_if_done, stop_attempt, waits_for_older
from eaas_agent.model import Attempt
from eaas_agent.turn import Arm, Remove
from tests.rig.agents import an_order
from tests.rig.turns import Desk, facts


def an_attempt(**fields: object) -> Attempt:
    attempt = Attempt(order=an_order(), state="running", boot_id="b", handle="h", started_at=1.0)
    return replace(attempt, **fields)


def test_a_second_stop_keeps_the_first_reason() -> None:
    attempt = an_attempt(state="stopping", stop=Stop(grace_s=9.0, why="timed_out"))
    turn = Desk(attempt).take()

    stop_attempt(turn, attempt, Stop(grace_s=0.0, why="cancelled"))

    saved = turn.changes.attempts[attempt.key]
    assert saved is not None
    assert saved.stop == Stop(grace_s=0.0, why="timed_out")


def test_a_deadline_in_the_past_is_now() -> None:
    attempt = an_attempt(order=an_order(timeout_s=5.0))
    turn = Desk(attempt).take()

    arm(turn, attempt)

    assert turn.effects == [Arm(attempt.key, 0.0)]


def test_what_never_began_has_no_log() -> None:
    attempt = an_attempt(state="accepted", handle=None)
    desk = Desk(attempt)
    turn = desk.take()

    end_attempt(turn, attempt, cause="never_started")

    held = desk.attempt(attempt.order.uid)
    assert held is not None
    assert held.logged
    assert held.end_seq == 1
    assert len(facts(turn)) == 1


def test_what_was_dropped_is_forgotten_without_the_runtime_if_it_never_began() -> None:
    attempt = an_attempt(state="ended", handle=None, logged=True)
    desk = Desk(attempt)
    desk.node.dropped.add(attempt.key)
    turn = desk.take()

    forget_if_done(turn, attempt)

    assert turn.changes.attempts == {attempt.key: None}


def test_what_ran_is_removed_from_the_runtime_first() -> None:
    attempt = an_attempt(state="ended", logged=True)
    desk = Desk(attempt)
    desk.node.dropped.add(attempt.key)
    turn = desk.take()

    forget_if_done(turn, attempt)

    assert turn.effects == [Remove(attempt.key, "h")]


def test_only_a_live_earlier_attempt_is_waited_for() -> None:
    first = an_attempt()
    second = replace(first, order=replace(first.order, attempt=2))

    assert waits_for_older(Desk(first, second).node.roster, second)
    assert not waits_for_older(Desk(replace(first, state="ended"), second).node.roster, second)


def test_what_an_engine_says_is_cut() -> None:
    attempt = an_attempt()
    turn = Desk(attempt).take()

    end_attempt(turn, attempt, cause="start_failed", text="x" * 100_000)

    (fact,) = facts(turn)
    assert isinstance(fact, AttemptEnded)
    assert fact.text == "x" * 2000
