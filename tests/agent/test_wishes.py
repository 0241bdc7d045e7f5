import pytest
from msgspec.structs import replace

from eaas.ids import JobUid
from eaas.lives import Obeyed
from eaas.wire.from_agent import Unlisted
from eaas.wire.to_agent import Stop, Wanted
from eaas_agent.model import (
    Acked,
    Attempt,
    Began,
    Exited,
    LogAcked,
    Surveyed,
    WantedCame,
    Welcomed,
)
from eaas_agent.runtimes.port import AttemptKey, Exit, Started
from eaas_agent.turn import Arm, CallOff, Remove, StopIt, Tell
from tests.rig.agents import an_order
from tests.rig.turns import Desk, effects, facts


def wish(*orders: object, full: bool = False, **fields: object) -> WantedCame:
    return WantedCame(wanted=Wanted(full=full, orders=orders, **fields), epoch=1)  # type: ignore[arg-type]


def test_a_higher_epoch_is_remembered_and_a_lower_one_is_not() -> None:
    desk = Desk()

    kept = {"epoch": "3", "life": "", "life_seq": "0"}
    assert desk.take(Welcomed(epoch=3, acked_seq=0)).changes.meta == kept
    assert desk.take(Welcomed(epoch=2, acked_seq=0)).changes.meta == {}
    assert desk.node.obeyed == Obeyed(epoch=3)


def test_who_is_obeyed_is_written_down_with_what_is_done_for_them() -> None:
    desk = Desk()

    desk.take(Welcomed(epoch=1, life="l-1", life_seq=4, acked_seq=0))
    turn = desk.take(
        WantedCame(wanted=Wanted(full=False, orders=(an_order(),), life_seq=9), epoch=1, life="l-1")
    )

    assert len(turn.changes.attempts) == 1
    assert turn.changes.meta["life_seq"] == "9"
    assert desk.node.obeyed == Obeyed(epoch=1, life="l-1", seq=9)


def test_a_message_that_only_says_how_far_the_controller_is_is_written_down() -> None:
    desk = Desk()
    desk.take(Welcomed(epoch=1, life="l-1", life_seq=4, acked_seq=0))

    turn = desk.take(
        WantedCame(wanted=Wanted(full=False, orders=(), life_seq=12), epoch=1, life="l-1")
    )

    assert turn.changes.meta["life_seq"] == "12"


def test_a_spool_behind_its_controller_goes_on_after_what_was_heard() -> None:
    desk = Desk()

    desk.take(Welcomed(epoch=1, acked_seq=41))
    turn = desk.take(wish(an_order(known=True)))

    assert [spooled.seq for spooled in turn.changes.facts] == [42]


def test_wishes_wait_for_the_survey() -> None:
    desk = Desk(surveyed=False)

    turn = desk.take(wish(an_order(), an_order(known=True)))

    assert not turn.changes
    assert turn.effects == []


def test_a_stop_before_the_start_calls_the_start_off() -> None:
    order = an_order()
    desk = Desk(Attempt(order=order, state="accepted", boot_id="this-boot"))

    turn = desk.take(wish(an_order(uid=order.uid, stop=Stop(grace_s=1.0, why="cancelled"))))

    assert effects(turn) == [CallOff]
    assert facts(turn) == []


def test_a_stop_is_written_down_before_it_is_done() -> None:
    order, stop = an_order(), Stop(grace_s=1.0, why="cancelled")
    running = Attempt(order=order, state="running", boot_id="this-boot", handle="h")

    turn = Desk(running).take(wish(an_order(uid=order.uid, number=order.number, stop=stop)))

    saved = turn.changes.attempts[running.key]
    assert saved is not None
    assert (saved.state, saved.stop, saved.stop_at) == ("stopping", stop, 2000.0)
    assert effects(turn) == [Arm, StopIt]


@pytest.mark.parametrize("set_by_s", [-6 * 3600.0, 6 * 3600.0])
def test_a_clock_that_is_set_moves_no_deadline_not_even_of_a_restarted_agent(
    set_by_s: float,
) -> None:
    order = an_order(timeout_s=60.0)
    desk = Desk()
    desk.up_s = 500.0
    desk.take(wish(order))
    key = AttemptKey(JobUid(order.uid), 1)
    desk.take(Began(key=key, started=Started(handle="h", started_at=desk.now)))
    held = desk.attempt(order.uid)
    assert held is not None

    again = Desk(held, surveyed=False)
    again.now, again.up_s = desk.now + set_by_s + 20.0, 520.0
    found = again.take(Surveyed(found=()))
    renewed = again.take(wish(replace(order, image_digest="sha256:a")))

    done = (*found.effects, *renewed.effects)
    arms = [effect for effect in done if isinstance(effect, Arm)]
    assert arms == [Arm(key, 40.0), Arm(key, 40.0)]


def test_a_longer_timeout_moves_the_deadline() -> None:
    order = an_order(timeout_s=10.0)
    running = Attempt(
        order=order, state="running", boot_id="this-boot", handle="h", started_at=1990.0
    )

    turn = Desk(running).take(wish(an_order(uid=order.uid, number=order.number, timeout_s=30.0)))

    assert turn.effects == [Arm(running.key, 20.0)]


def test_the_end_of_jobs_and_kept_workspaces_are_written_down() -> None:
    turn = Desk().take(wish(job_ended=("a",), keep_until=(("b", 9000.0),)))

    assert turn.changes.ended_jobs == [(2000.0, "a")]
    assert turn.changes.keep_until == [(9000.0, "b")]


def test_an_attempt_is_removed_only_with_its_log_delivered() -> None:
    order = an_order()
    ended = Attempt(order=order, state="ended", boot_id="this-boot", handle="h", end_seq=1)
    desk = Desk(ended)

    assert desk.take(wish(dropped=((order.uid, 1),))).effects == []
    assert desk.take(LogAcked(key=ended.key)).effects == [Remove(ended.key, "h")]


def test_a_log_delivered_before_the_end_is_heard_of_still_counts() -> None:
    order = an_order()
    running = Attempt(order=order, state="running", boot_id="this-boot", handle="h")
    desk = Desk(running)

    desk.take(LogAcked(key=running.key))
    desk.take(Exited(key=running.key, exit=Exit(exit_code=0, finished_at=1999.0)))

    assert desk.take(wish(dropped=((order.uid, 1),))).effects == [Remove(running.key, "h")]


def test_facts_acknowledged_long_ago_are_pruned() -> None:
    desk = Desk()

    assert not desk.take(Acked(seq=100)).changes
    assert desk.take(Acked(seq=10_000)).changes.prune_facts_to == 10_000 - 4096


def test_a_controller_out_of_a_backup_is_told_the_whole_order_of_what_goes_on() -> None:
    desk, order = Desk(), an_order(epoch=1, command="train", env={"A": "1"})
    desk.take(wish(order))
    desk.take(Welcomed(epoch=2, life="l-2", acked_seq=0))

    turn = desk.take(WantedCame(wanted=Wanted(full=True, orders=()), epoch=2, life="l-2"))

    told = Unlisted(order=order, state="accepted")
    assert turn.effects == [Tell(told)]
