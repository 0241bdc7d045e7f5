import asyncio
from pathlib import Path

import pytest
from prometheus_client.core import Metric

from eaas.ids import PoolName, QueueName
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Queue
from eaas_daemon.metrics.live import SINCE, Live
from eaas_daemon.store.failures import StoreUnavailable
from tests.daemon.shell import Shell, a_submit

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
        "mini_eaas_attempts_preempted_total",
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


class Noted:
    """A meter that remembers what it heard."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, float, float | None]] = []

    def stepped(self, events: int, step_s: float, commit_s: float | None) -> None:
        self.steps.append((events, step_s, commit_s))


async def test_the_engine_tells_of_every_stored_step_and_of_its_commit_if_there_was_one(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path)
    await shell.start()
    await shell.furnish()
    meter = Noted()
    shell.engine.measure(meter)

    await shell.engine.ask(e.Tick())
    await asyncio.gather(*(shell.engine.ask(a_submit()) for _ in range(3)))
    other = shell.lock()
    with pytest.raises(StoreUnavailable):
        await shell.engine.ask(a_submit())
    other.close()
    await shell.stop()

    (nothing_new, batch) = meter.steps
    assert nothing_new[0] == 1
    assert nothing_new[2] is None
    assert batch[0] == 3
    assert 0 < batch[1] < 1
    assert batch[2] is not None
    assert 0 < batch[2] < 10
