import pytest
from msgspec.structs import replace

from eaas.ids import JobNumber
from eaas.wire.from_agent import AttemptEnded, AttemptRunning, AttemptStopping
from eaas.wire.to_agent import Stop, Wanted
from eaas_agent.model import (
    Attempt,
    Began,
    DidNotStart,
    Exited,
    NeverStarted,
    Surveyed,
    TimeUp,
    WantedCame,
)
from eaas_agent.runtimes.port import Exit, Found, Started
from eaas_agent.turn import Arm, SendLog, Start, StopIt, Turn, Watch
from tests.rig.agents import an_order
from tests.rig.turns import Desk, effects, facts

STOP = Stop(grace_s=8.0, why="cancelled")


def an_attempt(state: str = "running", **fields: object) -> Attempt:
    attempt = Attempt(
        order=an_order(), state="running", boot_id="this-boot", handle="h", started_at=1990.0
    )
    return replace(attempt, state=state, **fields)


def found(attempt: Attempt, *, running: bool = True) -> Found:
    return Found(
        key=attempt.key,
        number=JobNumber(attempt.order.number),
        epoch=1,
        handle="h",
        running=running,
        started_at=1990.0,
    )


def the_end(turn: Turn) -> AttemptEnded:
    (fact,) = facts(turn)
    assert isinstance(fact, AttemptEnded)
    return fact


def test_an_accepted_attempt_is_started_after_a_restart() -> None:
    attempt = an_attempt("accepted", handle=None)

    turn = Desk(attempt, surveyed=False).take(Surveyed(found=()))

    assert turn.effects == [Start(attempt)]


def test_an_accepted_attempt_from_before_a_reboot_is_lost() -> None:
    attempt = an_attempt("accepted", handle=None, boot_id="old-boot")

    turn = Desk(attempt, surveyed=False).take(Surveyed(found=()))

    assert (the_end(turn).cause, the_end(turn).fault) == ("lost", "node")
    assert "rebooted" in (the_end(turn).text or "")


def test_a_running_attempt_is_watched_again_with_what_is_left_of_its_time() -> None:
    attempt = an_attempt()
    attempt = replace(attempt, order=replace(attempt.order, timeout_s=25.0))

    turn = Desk(attempt, surveyed=False).take(Surveyed(found=(found(attempt),)))

    assert turn.effects == [Watch(attempt), Arm(attempt.key, 15.0)]


def test_a_stopping_attempt_gets_what_is_left_of_its_grace() -> None:
    attempt = an_attempt("stopping", stop=STOP, stop_at=1995.0)

    turn = Desk(attempt, surveyed=False).take(Surveyed(found=(found(attempt),)))

    assert turn.effects == [Watch(attempt), StopIt(attempt, 3.0)]


def test_an_ended_attempt_goes_on_sending_its_log() -> None:
    attempt = an_attempt("ended", end_seq=1)

    turn = Desk(attempt, surveyed=False).take(Surveyed(found=()))

    assert turn.effects == [SendLog(attempt)]


def test_what_the_ledger_forgot_is_adopted() -> None:
    stranger = an_attempt()
    desk = Desk(surveyed=False)

    turn = desk.take(Surveyed(found=(found(stranger),)))

    assert effects(turn) == [Watch]
    adopted = desk.attempt(stranger.order.uid)
    assert adopted is not None
    assert (adopted.state, adopted.handle) == ("running", "h")


def test_a_known_order_for_an_adopted_attempt_is_not_lost() -> None:
    stranger = an_attempt()
    order = replace(stranger.order, known=True, timeout_s=60.0)
    desk = Desk(surveyed=False)
    desk.take(WantedCame(wanted=Wanted(full=True, orders=(order,)), epoch=1))

    turn = desk.take(Surveyed(found=(found(stranger),)))

    assert facts(turn) == []
    assert effects(turn) == [Watch, Arm]


def test_a_start_is_told_with_its_warnings() -> None:
    attempt = an_attempt("accepted", handle=None)
    started = Started(handle="h", started_at=2.0, image_digest="sha256:1", warnings=("w",))

    turn = Desk(attempt).take(Began(key=attempt.key, started=started))

    assert facts(turn) == [
        AttemptRunning(
            uid=attempt.order.uid,
            attempt=1,
            started_at=2.0,
            handle="h",
            image_digest="sha256:1",
            warnings=("w",),
        )
    ]


def test_a_start_that_could_not_be_called_off_is_stopped() -> None:
    attempt = an_attempt("accepted", handle=None, stop=STOP)

    turn = Desk(attempt).take(Began(key=attempt.key, started=Started(handle="h", started_at=2.0)))

    assert effects(turn) == [StopIt]


def test_a_failed_start_says_whose_fault_it_was() -> None:
    attempt = an_attempt("accepted", handle=None)

    turn = Desk(attempt).take(
        DidNotStart(key=attempt.key, code="image_missing", text="no", fault="user", exit_code=None)
    )

    end = the_end(turn)
    assert (end.cause, end.fault, end.detail) == ("start_failed", "user", "image_missing")
    assert (end.stdout_bytes, end.stderr_bytes) == (0, 0)


def test_a_start_called_off_never_began() -> None:
    attempt = an_attempt("accepted", handle=None, stop=STOP)

    turn = Desk(attempt).take(NeverStarted(key=attempt.key))

    assert the_end(turn).cause == "never_started"


def test_time_up_is_told_before_the_stop() -> None:
    attempt = an_attempt()

    turn = Desk(attempt).take(TimeUp(key=attempt.key))

    assert facts(turn) == [AttemptStopping(uid=attempt.order.uid, attempt=1, at=2000.0)]
    assert effects(turn) == [Arm, StopIt]


def test_time_up_for_what_is_being_stopped_changes_nothing() -> None:
    attempt = an_attempt("stopping", stop=STOP)

    assert not Desk(attempt).take(TimeUp(key=attempt.key)).changes


@pytest.mark.parametrize(
    ("stop", "cause"),
    [
        (None, "exited"),
        (STOP, "stopped"),
        (Stop(grace_s=1.0, why="timed_out"), "timed_out"),
        (Stop(grace_s=1.0, why="unwanted"), "stopped"),
    ],
)
def test_an_exit_is_told_with_the_reason_it_was_stopped_for(stop: Stop | None, cause: str) -> None:
    attempt = an_attempt("stopping" if stop else "running", stop=stop)

    turn = Desk(attempt).take(Exited(key=attempt.key, exit=Exit(exit_code=143, finished_at=2000.0)))

    assert (the_end(turn).cause, the_end(turn).exit_code) == (cause, 143)


def test_an_attempt_that_vanished_is_the_nodes_fault() -> None:
    attempt = an_attempt()

    turn = Desk(attempt).take(
        Exited(key=attempt.key, exit=Exit(exit_code=None, finished_at=1.0, lost=True, text="t"))
    )

    assert (the_end(turn).cause, the_end(turn).fault, the_end(turn).text) == ("lost", "node", "t")


def test_an_exit_by_a_reboot_is_lost_and_one_from_before_it_is_the_jobs_own() -> None:
    attempt = an_attempt(boot_id="old-boot")

    by_reboot = Desk(attempt).take(
        Exited(key=attempt.key, exit=Exit(exit_code=255, finished_at=1001.0))
    )
    before = Desk(attempt).take(Exited(key=attempt.key, exit=Exit(exit_code=4, finished_at=999.0)))

    assert (the_end(by_reboot).cause, the_end(by_reboot).exit_code) == ("lost", None)
    assert "rebooted" in (the_end(by_reboot).text or "")
    assert (the_end(before).cause, the_end(before).exit_code) == ("exited", 4)


def test_a_second_word_about_an_end_changes_nothing() -> None:
    attempt = an_attempt("ended", end_seq=1)
    exit_ = Exit(exit_code=0, finished_at=1.0)

    assert not Desk(attempt).take(Exited(key=attempt.key, exit=exit_)).changes
