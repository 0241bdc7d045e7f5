from typing import Any

from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from eaas_daemon.metrics.job_counts import JobCounts
from eaas_daemon.metrics.live import Live
from tests.rig.builders import ADMIN, ALICE, House, a_card
from tests.rig.preempting import change


class Counted(House):
    """A core whose steps are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.live = Live()
        self.counts = JobCounts(self.state, self.live.jobs)
        self.node("n1", a_card(0), a_card(1))
        self.pool("default", "n1")

    def do(self, *events: e.Event) -> Any:
        try:
            return super().do(*events)
        finally:
            self.counts(self.changes, self.effects)

    def start_again(self) -> None:
        """Let a new controller go on with the same state."""
        self.live = Live()
        self.counts = JobCounts(self.state, self.live.jobs)

    def value(self, name: str, **labels: str) -> float | None:
        labels = {"pool": "default", "queue": "default", **labels}
        return self.live.registry.get_sample_value(f"mini_eaas_{name}", labels)

    def totals(self) -> dict[str, float | None]:
        names = ("jobs_submitted", "attempts_started", "attempts_retried", "attempts_lost")
        return {name: self.value(f"{name}_total") for name in names}

    def ends(self) -> dict[str, float | None]:
        states = ("Succeeded", "Failed", "Cancelled", "TimedOut")
        return {each: self.value("jobs_ended_total", state=each) for each in states}


def a_run(house: Counted, waits_s: float, runs_s: float, **fields: Any) -> Job:
    """Let a job wait, run and succeed."""
    job = house.submit(ALICE, gpus=1, **fields)
    house.now += waits_s
    job = house.running(job)
    house.now += runs_s
    return house.ended(job)


def test_a_job_is_counted_when_it_comes_starts_and_ends_and_its_times_with_it() -> None:
    house = Counted()

    a_run(house, waits_s=7, runs_s=40)

    assert house.totals() == {
        "jobs_submitted": 1,
        "attempts_started": 1,
        "attempts_retried": 0,
        "attempts_lost": 0,
    }
    assert house.ends() == {"Succeeded": 1, "Failed": 0, "Cancelled": 0, "TimedOut": 0}
    assert (house.value("job_wait_seconds_sum"), house.value("job_wait_seconds_count")) == (7, 1)
    assert house.value("attempt_run_seconds_sum") == 40
    assert house.value("job_wait_seconds_bucket", le="5.0") == 0
    assert house.value("job_wait_seconds_bucket", le="15.0") == 1


def test_an_end_whose_start_was_never_told_of_counts_as_a_start_too() -> None:
    house = Counted()
    job = house.submit(ALICE)
    begun = house.now
    house.now += 2

    house.ended(job, started_at=begun + 1)

    assert house.totals()["attempts_started"] == 1
    assert (house.value("job_wait_seconds_sum"), house.value("attempt_run_seconds_sum")) == (1, 1)


def test_an_attempt_that_was_preempted_is_counted_as_that_and_not_as_retried() -> None:
    house = Counted()
    house.do(change("default", preemptible=True))
    house.queue("urgent", priority=5)
    job = house.submit(ALICE, gpus=1)
    while not house.state.aside.promised:
        house.submit(ALICE, queue="urgent", gpus=1)

    house.ended(house.job(job.number), exit_code=None, cause="never_started")

    assert house.job(job.number).preemptions == 1
    assert house.value("attempts_preempted_total") == 1
    assert house.totals()["attempts_retried"] == 0


def test_each_attempt_of_a_job_is_counted_but_only_its_first_start_ends_its_waiting() -> None:
    house = Counted()
    job = house.submit(ALICE, restart={"policy": "on-failure", "retries": 1, "backoff": "0s"})
    house.ended(house.running(job), exit_code=3)
    house.now += 100

    house.ended(house.running(house.job(job.number)), exit_code=3)

    assert house.totals() == {
        "jobs_submitted": 1,
        "attempts_started": 2,
        "attempts_retried": 1,
        "attempts_lost": 0,
    }
    assert house.ends()["Failed"] == 1
    assert house.value("job_wait_seconds_count") == 1
    assert house.value("attempt_run_seconds_count") == 2


def test_a_waiting_job_that_is_cancelled_has_ended_and_never_started() -> None:
    house = Counted()
    job = house.submit(ALICE, gpus=2)
    waiting = house.submit(ALICE, gpus=2)

    house.do(e.Cancel(caller=ALICE, number=waiting.number))

    assert job.state == "Starting"
    assert house.ends()["Cancelled"] == 1
    assert house.totals()["attempts_started"] == 0
    assert house.value("attempt_run_seconds_count") == 0


def test_an_attempt_of_which_nobody_knows_the_end_is_lost() -> None:
    house = Counted()
    vanished = house.running(house.submit(ALICE, gpus=1))
    house.ended(vanished, exit_code=None, cause="lost", text="it is gone")
    house.quiet_start()
    house.running(house.submit(ALICE, gpus=1))
    house.silence("n1")

    house.do(e.ConfirmDead(caller=ADMIN, node="n1"))

    assert house.totals()["attempts_lost"] == 2
    assert house.ends()["Failed"] == 2


def test_after_a_restart_what_has_started_before_does_not_start_again_and_its_end_counts() -> None:
    house = Counted()
    ran_before = house.running(house.submit(ALICE, gpus=1))
    starts_after = house.submit(ALICE, gpus=1)
    house.start_again()

    house.running(starts_after)
    house.ended(ran_before)

    assert house.totals()["jobs_submitted"] == 0
    assert house.totals()["attempts_started"] == 1
    assert house.ends()["Succeeded"] == 1
    assert house.value("attempt_run_seconds_count") == 1


def test_news_of_an_ended_job_and_its_retry_count_nothing_twice() -> None:
    house = Counted()
    job = a_run(house, waits_s=1, runs_s=1)
    house.do(e.Keep(caller=ALICE, number=job.number, for_s=60))
    before = house.totals(), house.ends()

    house.do(e.Retry(caller=ALICE, number=job.number))
    house.ended(house.running(house.job(job.number)))

    assert before[0]["attempts_started"] == before[1]["Succeeded"] == 1
    assert house.totals()["attempts_started"] == house.ends()["Succeeded"] == 2
    assert house.totals()["jobs_submitted"] == 1


def test_a_node_with_a_clock_of_its_own_makes_no_time_negative() -> None:
    house = Counted()
    job = house.submit(ALICE)
    house.now -= 50

    house.ended(house.running(job), finished_at=house.now - 9)

    assert house.value("job_wait_seconds_sum") == house.value("attempt_run_seconds_sum") == 0


def test_queues_come_and_go_with_their_series() -> None:
    house = Counted()
    house.queue("night")
    assert house.value("jobs_submitted_total", queue="night") == 0

    house.do(e.DeleteQueue(caller=ADMIN, pool="default", name="night"))

    assert house.value("jobs_submitted_total", queue="night") is None


def test_a_listener_that_starts_over_counts_no_start_again() -> None:
    house = Counted()
    job = house.running(house.submit(ALICE, gpus=1))

    house.counts.start_over()
    house.ended(job)

    assert house.totals()["attempts_started"] == 1
    assert house.ends()["Succeeded"] == 1
