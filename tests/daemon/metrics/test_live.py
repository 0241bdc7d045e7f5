from prometheus_client.core import Metric

from eaas.ids import PoolName, QueueName
from eaas_daemon.core.model import Queue
from eaas_daemon.metrics.live import SINCE, Live

QUEUE = Queue(pool=PoolName("lab"), name=QueueName("train"))


def families(live: Live) -> dict[str, Metric]:
    return {family.name: family for family in live.registry.collect()}


def series(live: Live, queue: str) -> set[str]:
    """Return the names of all series of the queue."""
    return {
        sample.name
        for family in live.registry.collect()
        for sample in family.samples
        if sample.labels.get("queue") == queue
    }


def test_a_queue_has_all_its_series_at_nothing_before_its_first_job() -> None:
    live = Live()

    live.jobs.begin(QUEUE)

    found = families(live)["mini_eaas_jobs_ended"].samples
    assert {(each.labels["state"], each.value) for each in found} == {
        ("Succeeded", 0),
        ("Failed", 0),
        ("Cancelled", 0),
        ("TimedOut", 0),
    }
    assert {
        "mini_eaas_jobs_submitted_total",
        "mini_eaas_attempts_started_total",
        "mini_eaas_attempts_retried_total",
        "mini_eaas_attempts_lost_total",
        "mini_eaas_job_wait_seconds_bucket",
        "mini_eaas_attempt_run_seconds_bucket",
    } <= series(live, "train")


def test_a_queue_that_is_no_more_takes_its_series_along_and_leaves_those_of_others() -> None:
    live = Live()
    live.jobs.begin(QUEUE)
    live.jobs.begin(Queue(pool=PoolName("lab"), name=QueueName("other")))
    before = series(live, "other")

    live.jobs.forget("lab/train")

    assert series(live, "train") == set()
    assert series(live, "other") == before != set()


def test_every_counter_says_that_it_counts_since_the_start_and_none_tells_when_it_was_made() -> (
    None
):
    live = Live()
    live.jobs.begin(QUEUE)
    own = [family for name, family in families(live).items() if name.startswith("mini_eaas_")]

    assert own
    assert all(family.documentation.endswith(SINCE) for family in own)
    assert not any(one.name.endswith("_created") for family in own for one in family.samples)


def test_a_step_without_anything_to_store_counts_as_a_step_and_not_as_a_commit() -> None:
    live = Live()

    live.engine.stepped(3, 0.002, 0.004)
    live.engine.stepped(1, 0.001, None)

    def value(name: str) -> float | None:
        return live.registry.get_sample_value(f"mini_eaas_engine_{name}")

    assert (value("step_seconds_count"), value("commit_seconds_count")) == (2, 1)
    assert (value("batch_events_sum"), value("commit_seconds_sum")) == (4, 0.004)
