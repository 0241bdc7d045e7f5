"""The jobs that ended long ago, as far as they were fetched: one page after the other."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from eaas.lifecycle import ENDED
from eaas.views import JobView
from eaas_tui.model.cleaning import Cleaner

PAGE_JOBS: Final = 200
"""The first page is there soon, later ones are larger: who goes on wants to get far."""
MORE_JOBS: Final = 500
_SPEC_KEYS: Final = ("image", "gpus", "labels")
"""What of a spec lists show and filters ask."""


class PastJobs:
    """Pages of the controller's list of all jobs, the newest first.

    A hundred thousand may come, so only what a list shows of each is kept; whoever opens one
    fetches it whole.
    """

    def __init__(self) -> None:
        self.jobs: Final[dict[int, JobView]] = {}
        self.cursor: str | None = None
        self.is_complete = False
        self._clean: Final = Cleaner()

    @property
    def page_jobs(self) -> int:
        """Return how many jobs to ask for next."""
        return MORE_JOBS if self.jobs else PAGE_JOBS

    def add(self, jobs: Iterable[JobView], cursor: str | None) -> None:
        """Take a page in; ``cursor`` is where the next one begins, None after the last.

        What has not ended is left to the stream, which tells how it goes on.
        """
        for job in jobs:
            if job.state in ENDED:
                self.jobs[job.id] = self._clean(_light(job))
        self.cursor = cursor
        self.is_complete = cursor is None


def _light(job: JobView) -> JobView:
    spec = {key: job.spec[key] for key in _SPEC_KEYS if key in job.spec}
    return replace(job, spec=spec, attempts=())
