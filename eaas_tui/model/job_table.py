"""The columns of a list of jobs, and a job as a row of it."""

from collections.abc import Sequence
from typing import Final

from eaas.lifecycle import ENDED
from eaas.views import JobView
from eaas_tui.model.columns import Cell, Column, Row
from eaas_tui.model.format import (
    UNKNOWN,
    age,
    gpus,
    image,
    run_time,
    state_cell,
    state_tone,
    where,
    why,
)

COLUMNS: Final[Sequence[Column]] = (
    Column(key="id", title="ID", width=6, sort="id"),
    Column(key="name", title="NAME", width=20, min_width=11, flex=1, rank=1, sort="name"),
    Column(key="user", title="USER", width=10, min_width=7, rank=5, sort="user"),
    Column(key="state", title="STATE", width=12, sort="state"),
    Column(key="queue", title="QUEUE", width=16, min_width=15, rank=8, sort="queue"),
    Column(key="gpus", title="GPU", width=4, align="right", rank=3, sort="gpus", descends=True),
    Column(key="node", title="NODE", width=14, min_width=11, rank=7, sort="node"),
    Column(key="time", title="TIME", width=7, align="right", rank=4, sort="time"),
    Column(
        key="priority", title="PRI", width=4, align="right", rank=6, sort="priority", descends=True
    ),
    Column(key="why", title="WHY / ETA", width=28, min_width=18, flex=3, rank=2, sort="reason"),
)
WIDE: Final[Sequence[Column]] = (
    *COLUMNS,
    Column(key="attempt", title="TRY", width=4, align="right", rank=9, sort="attempt"),
    Column(key="age", title="AGE", width=7, align="right", rank=10, sort="age", descends=True),
    Column(key="image", title="IMAGE", width=24, min_width=12, rank=11),
)
"""With what one looks for more rarely; a row has cells for all of these."""


def job_row(job: JobView, now: float, *, ascii: bool = False, several_pools: bool = False) -> Row:
    """Return the job's cells, in the order of ``WIDE``. ``now`` is Unix seconds."""
    count = gpus(job)
    return Row(
        (
            job.ref,
            job.name or UNKNOWN,
            job.user,
            Cell(state_cell(job, ascii=ascii), state_tone(job.state)),
            f"{job.pool}/{job.queue}" if several_pools else job.queue,
            str(count) if count else UNKNOWN,
            where(job),
            run_time(job, now),
            str(job.priority),
            why(job, now),
            str(job.attempt) if job.attempt else UNKNOWN,
            age(job.created_at, now),
            image(job) or UNKNOWN,
        ),
        tone="muted" if job.state in ENDED else "plain",
    )
