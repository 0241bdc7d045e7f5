from eaas import reasons as r
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import JobOver
from eaas_daemon.core.invariants import broken
from tests.rig.builders import ALICE, House


def a_house() -> House:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    return house


def test_a_failure_takes_the_whole_chain_behind_it_along_and_nobody_else() -> None:
    house = a_house()
    first, other = house.submit(), house.submit()
    second = house.submit(after=[first.number])
    third = house.submit(after=[second.number, other.number])
    apart = house.submit(after=[other.number])

    house.ended(house.running(first), exit_code=3)

    assert [house.job(job.number).state for job in (second, third, apart)] == [
        JobState.FAILED,
        JobState.FAILED,
        JobState.PENDING,
    ]
    reason = house.job(third.number).reason
    assert reason == r.AfterFailed(job=second.number, state="Failed")
    assert broken(house.state) == []
    assert [row.job for row in house.changes.journal if row.kind == "job.failed"] == [1, 3, 4]


def test_a_cancelled_job_takes_those_behind_it_along() -> None:
    house = a_house()
    first = house.submit(not_before="2100-01-01T00:00:00Z")
    second = house.submit(after=[first.number])

    house.do(e.Cancel(caller=ALICE, number=first.number))

    failed = house.job(second.number)
    assert (failed.state, failed.finished_at) == (JobState.FAILED, house.now)
    assert failed.reason == r.AfterFailed(job=first.number, state="Cancelled")


def test_a_chain_of_thousands_falls_in_one_step() -> None:
    house = a_house()
    last = house.submit(not_before="2100-01-01T00:00:00Z")
    first = last
    for _ in range(3000):
        last = house.submit(after=[last.number])

    house.do(e.Cancel(caller=ALICE, number=first.number))

    assert house.job(last.number).state is JobState.FAILED
    assert list(house.state.aside) == []


def test_nodes_with_a_workspace_of_the_ended_job_are_told() -> None:
    house = a_house()
    job = house.submit()

    house.ended(house.running(job))

    assert JobOver(node=job.attempts[-1].node, uid=job.uid) in house.effects
