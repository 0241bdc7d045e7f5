"""What is counted while it happens: everything else is read from the state at the scrape."""

from collections.abc import Callable, Sequence
from typing import Final

from prometheus_client import Counter, Histogram, disable_created_metrics
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import CollectorRegistry

from eaas.lifecycle import ENDED
from eaas_daemon.core.model import Queue
from eaas_daemon.metrics.family import PREFIX

SINCE: Final = ", since the controller's start"
"""How every counter's help ends: a restart resets it, which ``rate()`` knows how to take."""

QUEUE: Final = ("pool", "queue")
HOUR_S: Final = 3600
DAY_S: Final = 86400
WAITS_S: Final = (
    *(1, 5, 15, 60, 300, 900, 1800),
    *(HOUR_S, 2 * HOUR_S, 4 * HOUR_S, 8 * HOUR_S, DAY_S, 3 * DAY_S, 7 * DAY_S),
)
RUNS_S: Final = (
    *(1, 10, 60, 300, 900, 1800, HOUR_S, 2 * HOUR_S, 4 * HOUR_S, 8 * HOUR_S),
    *(DAY_S, 2 * DAY_S, 4 * DAY_S, 7 * DAY_S, 14 * DAY_S),
)
WORK_S: Final = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
REQUESTS_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)
LAGS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
BATCHES: Final = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000)

_without_created: Final[Callable[[], None]] = disable_created_metrics
"""One series less for each: ``process_start_time_seconds`` tells since when they all count."""


class Live:
    """The counters and histograms of one controller. Call it from anywhere; it never waits."""

    def __init__(self) -> None:
        _without_created()
        self.registry: Final = CollectorRegistry()
        self.engine: Final = EngineInstruments(self.registry)
        self.requests: Final = RequestInstruments(self.registry)
        self.jobs: Final = JobInstruments(self.registry)
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)


class EngineInstruments:
    """How the controller's one writer and its event loop do."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def histogram(
            name: str, about: str, buckets: Sequence[float], unit: str = "seconds"
        ) -> Histogram:
            return Histogram(
                PREFIX + name, about + SINCE, unit=unit, buckets=buckets, registry=registry
            )

        self.steps: Final = histogram(
            "engine_step", "What a step takes to decide, without storing it", WORK_S
        )
        self.commits: Final = histogram(
            "engine_commit", "What a step takes to be safe on the disk", WORK_S
        )
        self.batches: Final = histogram(
            "engine_batch_events", "Events that were decided on in one step", BATCHES, unit=""
        )
        self.lag: Final = histogram(
            "event_loop_lag", "How late the event loop wakes a task", LAGS_S
        )

    def stepped(self, events: int, step_s: float, commit_s: float | None) -> None:
        """Note a step of the engine; ``commit_s`` is None when there was nothing to store."""
        self.batches.observe(events)
        self.steps.observe(step_s)
        if commit_s is not None:
            self.commits.observe(commit_s)


class RequestInstruments:
    """What is asked over HTTP, by the route's pattern: no path names a job or a person."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.answered: Final = Counter(
            f"{PREFIX}http_requests",
            f"Requests that are over, by their route, method and status{SINCE}",
            ("route", "method", "status"),
            registry=registry,
        )
        self.time: Final = Histogram(
            f"{PREFIX}http_request_duration",
            f"What requests took, websockets left out{SINCE}",
            ("route", "method"),
            unit="seconds",
            buckets=REQUESTS_S,
            registry=registry,
        )
        self.refused_submits: Final = Counter(
            f"{PREFIX}submits_refused",
            f"Submits over REST that were refused, by the problem's code{SINCE}",
            ("code",),
            registry=registry,
        )


class JobInstruments:
    """What is counted for each queue. Nothing here names a job or a person."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, about: str, labels: Sequence[str] = QUEUE) -> Counter:
            return Counter(PREFIX + name, about + SINCE, labels, registry=registry)

        def histogram(name: str, about: str, buckets: Sequence[float]) -> Histogram:
            name, about = PREFIX + name, about + SINCE
            return Histogram(name, about, QUEUE, unit="seconds", buckets=buckets, registry=registry)

        self.submitted: Final = counter("jobs_submitted", "Jobs that were accepted")
        self.ended: Final = counter("jobs_ended", "Jobs that ended, by how", (*QUEUE, "state"))
        self.started: Final = counter("attempts_started", "Attempts that began to run")
        self.retried: Final = counter(
            "attempts_retried", "Attempts that ended so that the job waits for another one"
        )
        self.preempted: Final = counter(
            "attempts_preempted", "Attempts that were stopped for a job of a more urgent queue"
        )
        self.lost: Final = counter("attempts_lost", "Attempts of which nobody knows how they ended")
        self.logs_dropped: Final = counter(
            "logs_dropped", "Logs of ended attempts that were deleted to keep the log budget", ()
        )
        self.wait: Final = histogram("job_wait", "From a job's submit to its first start", WAITS_S)
        self.run: Final = histogram("attempt_run", "From an attempt's start to its end", RUNS_S)

    def begin(self, queue: Queue) -> None:
        """Let all series of the queue be there, at nothing, before the first of its jobs."""
        counted = self.submitted, self.started, self.retried, self.preempted, self.lost
        for each in (*counted, self.wait, self.run):
            each.labels(queue.pool, queue.name)
        for state in sorted(ENDED):
            self.ended.labels(queue.pool, queue.name, state)

    def forget(self, ref: str) -> None:
        """Drop all series of a queue that is no more (``pool/queue``)."""
        pool, _, queue = ref.partition("/")
        name = {"pool": pool, "queue": queue}
        counted = self.submitted, self.ended, self.started, self.retried, self.preempted, self.lost
        for each in counted:
            each.remove_by_labels(name)
        for one in (self.wait, self.run):
            one.remove_by_labels(name)
