import pytest

from eaas import reasons as r
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Dispatch, Dropped, JobOver
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def test_a_job_that_exits_with_0_has_succeeded(house: House) -> None:
    job = house.ended(house.running(house.submit()))

    assert (job.state, job.reason, job.attempts[-1].exit_code) == (JobState.SUCCEEDED, None, 0)
    assert house.effects == (
        wire_ack(house),
        *(),
    ) or {type(effect) for effect in house.effects} >= {Dropped, JobOver}


def wire_ack(house: House) -> object:
    return house.effects[0]


def test_a_job_that_exits_with_3_has_failed_and_says_so(house: House) -> None:
    job = house.ended(house.running(house.submit()), exit_code=3)

    assert (job.state, job.reason) == (JobState.FAILED, r.Exited(exit_code=3))


def test_two_retries_make_three_attempts(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 2, "backoff": "10s"})
    for _ in range(2):
        job = house.ended(house.running(job), exit_code=1)
        assert job.state is JobState.PENDING
        house.now += 11
        house.do(e.Tick())
        job = house.job(job.number)
        assert job.state is JobState.STARTING

    job = house.ended(house.running(job), exit_code=1)

    assert (job.state, len(job.attempts)) == (JobState.FAILED, 3)


def test_a_job_in_backoff_is_not_placed_before_its_time(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "30s"})
    house.ended(house.running(job), exit_code=1)
    house.now += 29

    house.do(e.Tick())

    assert house.job(job.number).state is JobState.PENDING


def test_memory_exhaustion_is_told_with_the_limit(house: House) -> None:
    job = house.submit(memory="32MiB")

    job = house.ended(house.running(job), exit_code=137, oom_killed=True)

    assert job.reason == r.OutOfMemory(exit_code=137, limit_mib=32)
    assert job.attempts[-1].oom_killed is True


def test_a_failed_start_by_the_node_is_tried_three_times_more_without_touching_retries(
    house: House,
) -> None:
    job = house.submit()
    for _ in range(3):
        job = house.ended(job, exit_code=None, cause="start_failed", fault="node", text="no disk")
        assert (job.state, job.retries_used) == (JobState.PENDING, 0)
        house.now += 60
        house.do(e.Tick())
        job = house.job(job.number)

    job = house.ended(job, exit_code=None, cause="start_failed", fault="node", text="no disk")

    assert (job.state, len(job.attempts)) == (JobState.FAILED, 4)


def test_a_failed_start_by_the_user_is_final_with_the_runtimes_words(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 5})

    job = house.ended(
        job, exit_code=None, cause="start_failed", detail="image_missing", text="manifest unknown"
    )

    assert job.state is JobState.FAILED
    assert job.reason == r.StartRefused(detail="image_missing", text="manifest unknown")


def test_an_attempt_lost_after_it_ran_is_not_run_again_unless_restart_says_so(
    house: House,
) -> None:
    job = house.ended(house.running(house.submit()), exit_code=None, cause="lost", text="gone")

    assert (job.state, job.reason) == (JobState.FAILED, r.AttemptLost(text="gone"))


def test_the_agents_timeout_makes_the_job_timed_out(house: House) -> None:
    job = house.running(house.submit(timeout="5s", restart={"policy": "on-failure", "retries": 3}))
    house.fact("n1", wire.AttemptStopping(uid=job.uid, attempt=1, at=house.now))
    assert house.job(job.number).state is JobState.STOPPING

    job = house.ended(house.job(job.number), exit_code=143, cause="timed_out")

    assert (job.state, job.reason) == (JobState.TIMED_OUT, r.TimedOut(timeout_s=5))


def test_a_timeout_whose_warning_was_lost_still_ends_as_timed_out(house: House) -> None:
    job = house.running(house.submit(timeout="5s"))

    assert house.ended(job, exit_code=143, cause="timed_out").state is JobState.TIMED_OUT


def test_a_cancelled_job_is_cancelled_whatever_its_exit_code(house: House) -> None:
    job = house.running(house.submit())
    house.do(e.Cancel(caller=ALICE, number=job.number))
    assert house.job(job.number).state is JobState.STOPPING
    assert any(isinstance(effect, Dispatch) for effect in house.effects)

    job = house.ended(house.job(job.number), exit_code=0)

    assert (job.state, job.reason) == (JobState.CANCELLED, r.Cancelled(by="alice"))


def test_a_repeated_fact_changes_nothing(house: House) -> None:
    job = house.running(house.submit())
    house.ended(job)
    house.seq["n1"] -= 1

    fact = wire.AttemptEnded(
        uid=job.uid, attempt=1, cause="exited", exit_code=9, finished_at=house.now
    )
    house.fact("n1", fact)

    assert house.changes.jobs == ()


def test_a_late_word_about_an_older_attempt_is_ignored(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 2, "backoff": "0s"})
    first = house.running(job)
    house.ended(first, exit_code=1)
    again = house.job(job.number)
    assert (again.state, len(again.attempts)) == (JobState.STARTING, 2)

    house.fact(
        "n1",
        wire.AttemptEnded(uid=job.uid, attempt=1, cause="exited", exit_code=0, finished_at=1.0),
    )

    assert house.job(job.number).state is JobState.STARTING


def test_a_silent_node_makes_its_jobs_unknown_and_its_return_makes_them_running(
    house: House,
) -> None:
    job = house.running(house.submit())
    house.do(e.Tick())
    house.now += 130
    house.do(e.Tick())
    for _ in range(40):
        house.now += 4
        house.do(e.Tick())
    house.do(e.AgentGone(node=job.attempts[-1].node, session="s-n1", why="cut"))
    for _ in range(6):
        house.now += 4
        house.do(e.Tick())
    assert house.job(job.number).state is JobState.UNKNOWN

    house.node("n1", a_card(0))

    assert house.job(job.number).state is JobState.RUNNING
    assert broken(house.state) == []


def test_only_a_persons_word_frees_the_cards_of_a_dead_node(house: House) -> None:
    job = house.running(house.submit(gpus=1))
    house.do(e.AgentGone(node=job.attempts[-1].node, session="s-n1", why="cut"))

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    ended: Job = next(changed for changed in house.changes.jobs if changed.uid == job.uid)
    assert (ended.state, ended.reason) == (JobState.FAILED, r.ConfirmedDead(node="n1", by="root"))
    assert len(house.changes.released) == 1
