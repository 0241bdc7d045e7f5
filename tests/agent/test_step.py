from msgspec.structs import replace

from eaas.wire.from_agent import AttemptEnded, WorkspaceGone
from eaas.wire.to_agent import Wanted
from eaas_agent.model import Attempt, Began, Exited, Removed, WantedCame, WorkspaceDeleted
from eaas_agent.runtimes.port import Exit, Started
from eaas_agent.turn import Arm, Remove, Start
from tests.rig.agents import an_order
from tests.rig.turns import Desk, effects, facts


def test_a_whole_life_in_single_steps() -> None:
    desk, order = Desk(), an_order()
    attempt = Attempt(order=order, state="accepted", boot_id="this-boot")

    accepted = desk.take(WantedCame(wanted=Wanted(full=True, orders=(order,)), epoch=1))
    assert accepted.effects == [Start(attempt)]
    assert accepted.changes.attempts == {attempt.key: attempt}

    started = Started(handle="h", started_at=2000.0)
    began = desk.take(Began(key=attempt.key, started=started))
    assert effects(began) == [Arm]

    exit_ = Exit(exit_code=0, finished_at=2001.0)
    over = desk.take(Exited(key=attempt.key, exit=exit_, log_bytes=(0, 0)))
    assert facts(over) == [
        AttemptEnded(
            uid=order.uid,
            attempt=1,
            cause="exited",
            exit_code=0,
            started_at=2000.0,
            finished_at=2001.0,
            stdout_bytes=0,
            stderr_bytes=0,
        )
    ]

    dropped = Wanted(full=False, orders=(), dropped=((order.uid, 1),))
    assert desk.take(WantedCame(wanted=dropped, epoch=1)).effects == [Remove(attempt.key, "h")]
    assert desk.take(Removed(key=attempt.key)).changes.attempts == {attempt.key: None}
    assert desk.attempt(order.uid) is None


def test_a_deleted_workspace_is_told() -> None:
    turn = Desk().take(WorkspaceDeleted(uid="job", why="expired"))

    assert facts(turn) == [WorkspaceGone(uid="job", at=2000.0, why="expired")]
    assert turn.changes.gone_workspaces == ["job"]


def test_a_workspace_of_a_job_that_is_back_is_not_told_as_gone() -> None:
    order = an_order()
    attempt = Attempt(order=order, state="running", boot_id="this-boot")

    turn = Desk(attempt).take(WorkspaceDeleted(uid=order.uid, why="disk_pressure"))

    assert not turn.changes


def test_places_in_the_spool_have_no_gaps() -> None:
    orders = [an_order(known=True) for _ in range(3)]

    turn = Desk().take(WantedCame(wanted=Wanted(full=True, orders=tuple(orders)), epoch=1))
    turn_after = Desk().take(WorkspaceDeleted(uid="job", why="expired"))

    assert [spooled.seq for spooled in turn.changes.facts] == [1, 2, 3]
    assert [spooled.seq for spooled in turn_after.changes.facts] == [1]


def test_a_second_attempt_waits_for_the_end_of_the_first() -> None:
    first = an_order()
    desk = Desk(Attempt(order=first, state="running", boot_id="this-boot", handle="h"))
    second = replace(first, attempt=2)

    came = desk.take(WantedCame(wanted=Wanted(full=True, orders=(second,)), epoch=1))
    assert Start not in effects(came)
    over = desk.take(
        Exited(
            key=desk.node.roster.of_job(first.uid)[0].key,
            exit=Exit(exit_code=143, finished_at=1.0),
        )
    )

    assert Start in effects(over)
