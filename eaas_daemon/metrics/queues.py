"""Queues and the jobs in them. Nothing here names a job or a person."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from typing import Final

from eaas.lifecycle import PLACED, JobState
from eaas.views import QueueView
from eaas_daemon.core.inventory_picture import queue_view
from eaas_daemon.core.model import Job
from eaas_daemon.core.state import State
from eaas_daemon.metrics.family import Family, gauge

QUEUE: Final = ("pool", "queue")


def queue_families(state: State, now: float) -> Iterator[Family]:
    """Yield everything about queues; ``now`` is Unix seconds."""
    views = [queue_view(state, queue) for _, queue in sorted(state.queues.items())]
    oldest = _oldest(state)
    placed = Counter(
        (str(job.pool), str(job.queue), str(job.state))
        for jobs in state.placed.values()
        for job in jobs.values()
    )
    yield from _views(views)
    yield gauge(
        "jobs",
        "Jobs that have a node, by state; mini_eaas_queue_jobs_waiting has the Pending ones",
        [*QUEUE, "state"],
        [
            ((*_name(view), each), placed[(*_name(view), each)])
            for view in views
            for each in sorted(PLACED)
        ],
    )
    yield gauge(
        "queue_oldest_waiting",
        "How long the job that waits longest has waited since its submit, or since its last"
        " attempt ended; 0 while none waits",
        QUEUE,
        [(_name(view), max(0.0, now - oldest.get(_name(view), now))) for view in views],
        unit="seconds",
    )


def _oldest(state: State) -> dict[tuple[str, str], float]:
    """Return since when the job waits that waits longest, for each queue in which one does."""
    oldest: dict[tuple[str, str], float] = {}
    pending = JobState.PENDING
    for job in state.jobs.values():
        if job.state is pending:
            name, since = (job.pool, job.queue), waits_since(job)
            if since < oldest.get(name, inf):
                oldest[name] = since
    return oldest


def waits_since(job: Job) -> float:
    """Return when a waiting job began to wait, in Unix seconds."""
    ended_at = job.attempts[-1].finished_at if job.attempts else None
    return job.created_at if ended_at is None else ended_at


def _name(view: QueueView) -> tuple[str, str]:
    return view.pool, view.name


def _views(views: Sequence[QueueView]) -> Iterator[Family]:
    yield gauge(
        "queue_jobs_waiting",
        "Jobs that wait in the queue",
        QUEUE,
        [(_name(view), view.waiting) for view in views],
    )
    yield gauge(
        "queue_jobs_running",
        "Jobs of the queue that have a node: they start, run, stop, or their node is silent",
        QUEUE,
        [(_name(view), view.running) for view in views],
    )
    yield gauge(
        "queue_cards_held",
        "Cards that jobs of the queue hold",
        QUEUE,
        [(_name(view), view.gpus_held) for view in views],
    )
    yield gauge(
        "queue_paused",
        "1 while a person has paused the queue",
        QUEUE,
        [(_name(view), view.paused) for view in views],
    )
