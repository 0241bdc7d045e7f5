import pytest

from eaas import reasons as r
from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas.wire.logs import LogEnd
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Acknowledge, Dispatch, Dropped, JobOver
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
    node = NodeName("n1")
    assert house.effects == (
        Dropped(node=node, uid=job.uid, attempt=1),
        JobOver(node=node, uid=job.uid),
        Acknowledge(node=node, spool_id="spool-n1", seq=2),
    )


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


def test_a_confirmed_dead_attempt_that_never_began_is_placed_again_elsewhere(house: House) -> None:
    job = house.submit()
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut"))

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    waiting = house.job(job.number)
    assert (waiting.state, waiting.infra_retries) == (JobState.PENDING, 1)


def test_a_job_that_was_timing_out_on_a_dead_node_has_failed_and_was_cancelled_by_nobody(
    house: House,
) -> None:
    job = house.running(house.submit(timeout="5s", restart="on-failure"))
    house.fact("n1", wire.AttemptStopping(uid=job.uid, attempt=1, at=house.now))
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut"))

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    assert house.job(job.number).state is JobState.FAILED


def test_an_end_whose_start_was_never_told_still_times_out(house: House) -> None:
    job = house.submit(timeout="5s")

    job = house.ended(job, exit_code=143, cause="timed_out", started_at=house.now)

    assert (job.state, job.attempts[-1].started_at) == (JobState.TIMED_OUT, house.now)


def test_an_exit_counts_as_the_jobs_own_even_when_nobody_told_of_its_start(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1})

    job = house.ended(job, exit_code=3)

    assert (job.retries_used, job.infra_retries) == (1, 0)


@pytest.mark.parametrize("restart", ["never", "on-failure"])
def test_an_exit_with_0_is_never_tried_again(house: House, restart: str) -> None:
    job = house.ended(house.running(house.submit(restart=restart)))

    assert job.state is JobState.SUCCEEDED


def test_a_backoff_of_0_puts_the_job_back_in_line_at_once(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "0s"})
    house.ended(house.running(job), exit_code=1)

    again = house.job(job.number)

    assert (again.state, again.not_before, len(again.attempts)) == (JobState.STARTING, None, 2)


def test_the_workspace_is_kept_for_a_week_after_the_end(house: House) -> None:
    job = house.ended(house.running(house.submit()))

    assert job.keep_until == house.now + 7 * 86400


def test_every_node_where_a_job_has_run_hears_that_it_is_over() -> None:
    house = House()
    house.node("n1")
    house.node("n2")
    house.pool("default", "n1", "n2")
    job = house.submit()
    house.ended(job, exit_code=None, cause="start_failed", fault="node", text="no disk")
    house.now += 3
    house.do(e.Tick())
    job = house.job(job.number)
    assert [attempt.node for attempt in job.attempts] == ["n1", "n2"]

    house.ended(house.running(job))

    over = [effect for effect in house.effects if isinstance(effect, JobOver)]
    assert over == [JobOver(node=NodeName(n), uid=job.uid) for n in ("n1", "n2")]


def test_a_log_that_came_before_the_end_stays_complete(house: House) -> None:
    job = house.running(house.submit())
    end = LogEnd(uid=job.uid, attempt=1, stdout_bytes=7, stderr_bytes=2)
    house.do(e.LogFinished(end=end))

    attempt = house.ended(job).attempts[-1]

    assert (attempt.stdout_bytes, attempt.stderr_bytes, attempt.log_complete) == (7, 2, True)


def test_an_empty_log_is_complete_with_the_end(house: House) -> None:
    job = house.ended(house.running(house.submit()), stdout_bytes=0, stderr_bytes=0)

    assert job.attempts[-1].log_complete is True


def test_the_next_attempt_does_not_show_how_far_the_last_one_had_pulled(house: House) -> None:
    job = house.submit()
    progress = wire.Progress(uid=job.uid, attempt=1, name="pulling", done_bytes=5, total_bytes=9)
    house.do(e.AgentProgress(node=NodeName("n1"), session="s-n1", progress=progress))
    house.ended(job, exit_code=None, cause="start_failed", fault="node", text="no disk")
    house.now += 3

    house.do(e.Tick())

    assert house.job(job.number).state is JobState.STARTING
    assert job.uid not in house.state.phases
