"""The jobs that matter now: what runs longest, what failed lately, what waits first in line."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from eaas.lifecycle import ENDED, JobState
from eaas.views import JobView
from eaas_tui.model import job_table
from eaas_tui.model.format import unix
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

LATELY_S: Final = 3600.0
"""A job that failed longer ago is history."""
NEVER: Final = float("inf")

COLUMNS: Final = tuple(
    replace(column, sort=None, title="JOBS" if column.key == "id" else column.title)
    for column in job_table.COLUMNS
)
"""As in the list of all jobs, but in an order of its own."""


def jobs_now(
    picture: Picture, now: float, *, room: int, mine: bool = False, ascii: bool = False
) -> Rows[int]:
    """Return as many jobs as there is room for; ``now`` in Unix seconds.

    Each of the three kinds gets a third of the room, and more where another needs less.
    """
    jobs = [job for job in picture.jobs.values() if not mine or job.user == picture.user]
    kinds = (_running(jobs), _failed(jobs, now), _waiting(jobs))
    shares = fair_shares([len(kind) for kind in kinds], room)
    shown = [job for kind, share in zip(kinds, shares, strict=True) for job in kind[:share]]
    by_id: Mapping[int, JobView] = {job.id: job for job in shown}
    several = len(picture.pools) > 1
    return Rows(
        list(by_id),
        lambda id: job_table.job_row(by_id[id], now, ascii=ascii, several_pools=several),
    )


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """Return how much of the room each gets: what it wants, or what is left divided evenly."""
    shares = [0] * len(wanted)
    hungry = [place for place, want in enumerate(wanted) if want]
    while room > 0 and hungry:
        each = max(1, room // len(hungry))
        for place in list(hungry):
            more = min(each, wanted[place] - shares[place], room)
            shares[place] += more
            room -= more
            if shares[place] == wanted[place]:
                hungry.remove(place)
    return shares


def _running(jobs: Sequence[JobView]) -> list[JobView]:
    """Those that have nothing to do with waiting any more, the longest first."""
    placed = [job for job in jobs if job.state not in ENDED and job.state != JobState.PENDING]
    return sorted(placed, key=lambda job: (unix(job.started_at) or NEVER, job.id))


def _failed(jobs: Sequence[JobView], now: float) -> list[JobView]:
    bad = [job for job in jobs if job.state in (JobState.FAILED, JobState.TIMED_OUT)]
    lately = [job for job in bad if now - (unix(job.finished_at) or 0.0) < LATELY_S]
    return sorted(lately, key=lambda job: unix(job.finished_at) or 0.0, reverse=True)


def _waiting(jobs: Sequence[JobView]) -> list[JobView]:
    pending = [job for job in jobs if job.state == JobState.PENDING]
    return sorted(pending, key=lambda job: (job.position is None, job.position or 0, job.id))
