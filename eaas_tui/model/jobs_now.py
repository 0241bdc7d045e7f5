"""The jobs that matter now: what runs longest, what waits first in line, what failed lately."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from heapq import nlargest, nsmallest
from typing import Final

from msgspec.structs import replace

from eaas.lifecycle import ENDED, JobState
from eaas.units import utc_text
from eaas.views import JobView
from eaas_tui.model import job_table
from eaas_tui.model.job_set import once
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

LATELY_S: Final = 1800.0
"""A job that failed longer ago is history."""
NEVER: Final = "~"
"""Later than any time: those are RFC 3339 in UTC, so their texts sort as they do."""
LAST: Final = 1 << 62
FAILED_SHARE: Final = 4
"""One line in so many is kept for what failed lately, the others are for what is to come."""
BAD: Final = frozenset({JobState.FAILED, JobState.TIMED_OUT})

COLUMNS: Final = tuple(
    replace(column, sort=None, title="JOBS" if column.key == "id" else column.title)
    for column in job_table.COLUMNS
)
"""As in the list of all jobs, but in an order of its own."""


def jobs_now(
    picture: Picture, now: float, *, room: int, mine: bool = False, ascii: bool = False
) -> Rows[int]:
    """Return as many jobs as there is room for; ``now`` in Unix seconds.

    What runs and what waits share the room; what failed lately gets a quarter at most, at the end,
    and more where there is room left.
    """
    user = picture.user if mine else None
    jobs = picture.jobs
    running, waiting, failed = once(
        jobs, ("now", user, room), lambda: _kinds(jobs.values(), user, room)
    )
    since = utc_text(now - LATELY_S)
    lately = [job for job in failed if (job.finished_at or "") >= since]
    kept = min(len(lately), room // FAILED_SHARE)
    first, then = fair_shares([len(running), len(waiting)], room - kept)
    shown = [*running[:first], *waiting[:then], *lately[: room - first - then]]
    by_id: Mapping[int, JobView] = {job.id: job for job in shown}
    several = len(picture.pools) > 1
    return Rows(
        list(by_id),
        cache(lambda id: job_table.job_row(by_id[id], now, ascii=ascii, several_pools=several)),
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


def _kinds(
    jobs: Iterable[JobView], user: str | None, room: int
) -> tuple[list[JobView], list[JobView], list[JobView]]:
    """Return the first of what is on a node, what waits and what failed; ``user``'s, if given.

    Of what is on a node, what nobody knows the state of comes first.
    """
    running: list[JobView] = []
    failed: list[JobView] = []
    waiting: list[JobView] = []
    for job in jobs:
        if user is not None and job.user != user:
            continue
        if job.state == JobState.PENDING:
            waiting.append(job)
        elif job.state not in ENDED:
            running.append(job)
        elif job.state in BAD:
            failed.append(job)
    return (
        nsmallest(
            room,
            running,
            key=lambda job: (job.state != JobState.UNKNOWN, job.started_at or NEVER, job.id),
        ),
        nsmallest(room, waiting, key=lambda job: (job.position or LAST, job.id)),
        nlargest(room, failed, key=lambda job: (job.finished_at or "", job.id)),
    )
