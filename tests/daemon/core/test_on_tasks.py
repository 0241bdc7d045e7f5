from typing import Any

import pytest

from eaas.errors import Conflict, Invalid, NotFound, NotYours
from eaas.ids import JobNumber, PoolName
from eaas.job_array import JobArray, array_of
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.on_tasks import Acted
from eaas_daemon.core.step import step
from tests.rig.builders import ADMIN, ALICE, BOB, House


@pytest.fixture
def house() -> House:
    """A pool in which array 1, of six tasks, runs two at once: one has succeeded, one failed."""
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    house.queue("night")
    house.submit(array="0-5%2")
    house.ended(house.running(house.job(1)))
    house.ended(house.running(house.job(2)), exit_code=1)
    return house


def do(house: House, deed: e.Deed, *indices: int) -> Acted:
    chosen = array_of(indices) if indices else JobArray()
    acted = house.do(e.ToTasks(caller=deed.caller, deed=deed, indices=chosen))
    assert isinstance(acted, Acted)
    assert not broken(house.state)
    return acted


def of_array(kind: Any, caller: e.Caller = ALICE, **fields: Any) -> Any:
    return kind(caller=caller, number=JobNumber(1), **fields)


def states(house: House) -> list[str]:
    return [house.job(number).state.value for number in range(1, 7)]


def lines(house: House, kind: str) -> list[tuple[int | None, str]]:
    return [(row.job, row.text) for row in house.changes.journal if row.kind == kind]


def test_an_array_is_cancelled_in_one_step_and_what_has_ended_stays(house: House) -> None:
    acted = do(house, of_array(e.Cancel))

    assert acted == Acted(array=JobNumber(1), changed=4, left=2)
    assert states(house) == [
        "Succeeded", "Failed", "Stopping", "Stopping", "Cancelled", "Cancelled",
    ]  # fmt: skip
    assert lines(house, "job.cancelled") == [(1, "alice cancelled 2 tasks of array 1")]
    assert lines(house, "job.stopping") == [(1, "alice is stopping 2 tasks of array 1")]


def test_some_tasks_are_cancelled_by_their_indices(house: House) -> None:
    acted = do(house, of_array(e.Cancel), 0, 4)

    assert acted == Acted(array=JobNumber(1), changed=1, left=1)
    assert states(house)[4:] == ["Cancelled", "Pending"]


def test_cancelling_an_array_that_has_ended_changes_nothing_and_is_no_error(house: House) -> None:
    do(house, of_array(e.Cancel))
    for number in (3, 4):
        house.ended(house.job(number), cause="stopped")

    assert do(house, of_array(e.Cancel)) == Acted(array=JobNumber(1), changed=0, left=6)
    with pytest.raises(Conflict, match="all tasks of array 1 have ended"):
        do(house, of_array(e.SetPriority, priority=3))


def test_a_priority_is_given_to_all_that_have_not_ended(house: House) -> None:
    acted = do(house, of_array(e.SetPriority, priority=5))

    assert (acted.changed, acted.left) == (4, 2)
    assert [house.job(number).priority for number in range(1, 7)] == [0, 0, 5, 5, 5, 5]
    assert lines(house, "job.priority") == [(1, "alice gave 4 tasks of array 1 priority 5")]


def test_what_is_refused_for_another_reason_is_done_to_none(house: House) -> None:
    with pytest.raises(NotYours):
        do(house, of_array(e.Cancel, caller=BOB))
    with pytest.raises(Invalid):
        do(house, of_array(e.SetPriority, priority=101))
    with pytest.raises(NotFound):
        do(house, of_array(e.Cancel), 4, 77)

    assert states(house)[2:] == ["Starting", "Starting", "Pending", "Pending"]
    assert house.state.draft.counted == {}


def test_an_array_is_put_on_top_and_moved_as_far_as_it_waits_and_keeps_its_order(
    house: House,
) -> None:
    house.queue("default", paused=True)
    other = house.submit(priority=100)

    assert do(house, of_array(e.PutOnTop, caller=ADMIN)) == Acted(
        array=JobNumber(1), changed=2, left=4
    )
    line = [house.state.jobs[uid].number for uid in house.state.line.in_order(*pool(house))]
    assert line == [5, 6, other.number]
    acted = do(house, of_array(e.Move, pool=PoolName("default"), queue="night"))
    assert (acted.changed, acted.left) == (2, 4)
    assert {house.job(number).ref for number in (5, 6)} == {"default/night"}


def pool(house: House) -> tuple[PoolName, Any]:
    return PoolName("default"), house.state.order


def test_only_what_has_not_succeeded_is_run_again(house: House) -> None:
    acted = do(house, of_array(e.Retry))

    assert (acted.changed, acted.left) == (1, 5)
    assert states(house) == [
        "Succeeded", "Pending", "Starting", "Starting", "Pending", "Pending",
    ]  # fmt: skip
    with pytest.raises(Conflict, match=r"no task of array 1 has failed; .*, such as 1\[0\]"):
        do(house, of_array(e.Retry))
    assert do(house, of_array(e.Retry), 0).changed == 1


def test_the_workspaces_of_all_that_have_ended_are_kept(house: House) -> None:
    acted = do(house, of_array(e.Keep, for_s=90 * 86400.0))

    until = house.now + 90 * 86400.0
    assert (acted.changed, acted.left) == (2, 4)
    assert [house.job(number).keep_until for number in (1, 2, 3)] == [until, until, None]


def test_tasks_that_all_refuse_say_why_the_first_one_does(house: House) -> None:
    with pytest.raises(Conflict, match=r"job 1\[2\] is Starting; only a waiting job can be moved"):
        do(house, of_array(e.Move, pool=PoolName("default"), queue="night"), 2, 3)


def test_a_step_that_is_taken_back_leaves_every_task_as_it_was(house: House) -> None:
    before: list[Job] = [house.job(number) for number in range(1, 7)]
    mark = house.state.mark()

    step(house.state, [e.ToTasks(caller=ALICE, deed=of_array(e.Cancel))], house.now)
    house.state.undo_to(mark)
    house.state.settle()

    assert [house.job(number) for number in range(1, 7)] == before
    assert house.job(5).state is JobState.PENDING
