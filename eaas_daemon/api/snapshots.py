"""A snapshot under way: its jobs are drawn some at a time, so that nothing else has to wait.

Between two pieces the controller takes its next step. A job is drawn as it is when its turn
comes, and the changes of steps in between are heard in their order, so the last word on a job is
always the newest. Clients that take no pieces get everything at the end, as it is then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from eaas.ids import JobUid
from eaas_daemon.api.frames import TwoForms, job_forms
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.core.model import Job
from eaas_daemon.core.picture import Painter

JOBS_A_PIECE: Final = 200
"""So many take about a hundredth of a second to draw, and as long to take in. More than these come
in pieces, the first of them without any: it has the nodes and pools already."""


class SnapshotRun:
    """What is still to be drawn, and for whom."""

    def __init__(self, jobs: Mapping[JobUid, Job], waiting: Iterable[Subscriber]) -> None:
        self._jobs: Final = jobs
        self._waiting: Final = frozenset(waiting)
        self._left: Final = [uid for uid, job in jobs.items() if not job.ended][::-1]
        self._kept: Final[dict[JobUid, TwoForms]] = {}
        self._places: Mapping[JobUid, int] | None = None
        self.is_begun = False

    @property
    def is_done(self) -> bool:
        """Tell whether every job was drawn."""
        return not self._left

    @property
    def is_long(self) -> bool:
        """Tell whether what is left is more than one piece."""
        return len(self._left) > JOBS_A_PIECE

    @property
    def kept(self) -> tuple[TwoForms, ...]:
        """Return all jobs for those who take no pieces, each in its newest form."""
        return tuple(self._kept.values())

    def waiting(self, among: Iterable[Subscriber], *, pieces: bool) -> list[Subscriber]:
        """Return those of them whom this snapshot is for: with pieces, or without."""
        return [one for one in among if one in self._waiting and one.pieces == pieces]

    def draw(self, painter: Painter) -> tuple[TwoForms, ...]:
        """Return the next jobs; those that ended meanwhile have been told as changes."""
        self._places = painter.number_positions(self._places)
        turn = [self._left.pop() for _ in range(min(JOBS_A_PIECE, len(self._left)))]
        jobs = (self._jobs[uid] for uid in turn if uid in self._jobs)
        drawn = {job.uid: job_forms(painter.job(job)) for job in jobs if not job.ended}
        self._keep(drawn)
        return tuple(drawn.values())

    def note(self, jobs: Sequence[Job], forms: Sequence[TwoForms]) -> None:
        """Take in what a step has changed."""
        self._places = None
        self._keep({job.uid: form for job, form in zip(jobs, forms, strict=True) if not job.ended})
        for job in jobs:
            if job.ended:
                self._kept.pop(job.uid, None)

    def _keep(self, drawn: Mapping[JobUid, TwoForms]) -> None:
        if not all(one.pieces for one in self._waiting):
            self._kept.update(drawn)
