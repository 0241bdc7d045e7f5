"""The queues as rows: who goes first, what runs and waits in each, and what it may not exceed."""

from collections.abc import Mapping
from typing import Final

from eaas.views import JobView, QueueView
from eaas_tui.model.columns import Cell, Column, Row
from eaas_tui.model.format import duration, of_limit, unix
from eaas_tui.model.job_set import once
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

COLUMNS: Final = (
    Column(key="queue", title="QUEUES", width=20, min_width=8, flex=1),
    Column(key="state", title="", width=6, rank=1),
    Column(key="running", title="RUN", width=7, min_width=4, align="right", rank=2),
    Column(key="cards", title="CARDS", width=7, min_width=6, align="right", rank=4),
    Column(key="waiting", title="WAIT", width=5, align="right"),
    Column(key="oldest", title="OLDEST", width=6, align="right", rank=5),
    Column(key="priority", title="PRIO", width=5, align="right", rank=6),
)


def queue_rows(picture: Picture, now: float) -> Rows[str]:
    """Return the queues, by pool and then the most urgent first; ``now`` in Unix seconds."""
    oldest = once(picture.jobs, "oldest wait", lambda: oldest_wait(picture.jobs))
    keys = queue_order(picture)
    one_pool = len(picture.pools) <= 1
    return Rows(
        keys,
        lambda ref: queue_row(
            picture.queues[ref], since=oldest.get(ref), now=now, name_only=one_pool
        ),
    )


def queue_order(picture: Picture) -> list[str]:
    """Return the queues' ``pool/queue``, by pool and then the most urgent first."""
    return sorted(picture.queues, key=lambda ref: _order(picture.queues[ref]))


def queue_row(queue: QueueView, *, since: float | None, now: float, name_only: bool) -> Row:
    """Return one queue's row; ``since`` is when its oldest waiting job was submitted."""
    return Row(
        (
            queue.name if name_only else queue.ref,
            Cell("paused", "warn") if queue.paused else Cell("open", "muted"),
            of_limit(queue.running, queue.max_running),
            of_limit(queue.gpus_held, queue.max_gpus),
            Cell(
                of_limit(queue.waiting, queue.max_pending), "strong" if queue.waiting else "muted"
            ),
            duration(None if since is None else max(0.0, now - since)),
            str(queue.priority),
        )
    )


def oldest_wait(jobs: Mapping[int, JobView]) -> dict[str, float]:
    """Return since when the oldest job waits, in Unix seconds, by ``pool/queue``."""
    first: dict[str, str] = {}
    for job in jobs.values():
        if job.state == "Pending":
            ref = f"{job.pool}/{job.queue}"
            first[ref] = min(first.get(ref, job.created_at), job.created_at)
    since = {ref: unix(at) for ref, at in first.items()}
    return {ref: at for ref, at in since.items() if at is not None}


def _order(queue: QueueView) -> tuple[str, int, str]:
    return queue.pool, -queue.priority, queue.name
