"""The waiting jobs that stand in no line yet: until a moment, until other jobs have ended, or until
the room is free that is being made for them.
"""

from collections.abc import Collection, Iterator

from eaas.ids import JobNumber, JobUid
from eaas_daemon.core.model import Job


class Aside:
    """Who waits beside the lines, and for what. Knows the jobs as they were put in."""

    def __init__(self) -> None:
        self.delayed: dict[JobUid, float] = {}
        """Until when (Unix seconds) a job waits that waits for no other job."""
        self.promised: dict[JobUid, Job] = {}
        """Those for which room is being made."""
        self._after: dict[JobNumber, dict[JobUid, None]] = {}
        self._jobs: dict[JobUid, Job] = {}
        self._waiting: dict[str, int] = {}

    def add(self, job: Job) -> None:
        """Let the job wait for whatever it waits for."""
        self._jobs[job.uid] = job
        self._waiting[job.ref] = self._waiting.get(job.ref, 0) + 1
        for number in job.waits_for:
            self._after.setdefault(number, {})[job.uid] = None
        if not job.waits_for and job.not_before is not None:
            self.delayed[job.uid] = job.not_before
        if job.promise is not None:
            self.promised[job.uid] = job

    def remove(self, job: Job) -> None:
        """Take the job out; it must be in, exactly as given."""
        del self._jobs[job.uid]
        self._waiting[job.ref] -= 1
        self.delayed.pop(job.uid, None)
        self.promised.pop(job.uid, None)
        for number in job.waits_for:
            others = self._after[number]
            del others[job.uid]
            if not others:
                del self._after[number]

    def still(self) -> "Aside":
        """Return who waits now, for somebody who looks while this one goes on."""
        twin = Aside()
        twin.delayed = dict(self.delayed)
        twin.promised = dict(self.promised)
        twin._after = {number: dict(uids) for number, uids in self._after.items()}
        twin._jobs = dict(self._jobs)
        twin._waiting = dict(self._waiting)
        return twin

    def __contains__(self, uid: object) -> bool:
        return uid in self._jobs

    def __iter__(self) -> Iterator[JobUid]:
        """Yield those who wait here, in the order in which they came."""
        return iter(self._jobs)

    def due(self, now: float) -> list[JobUid]:
        """Return those whose moment has come."""
        return [uid for uid, until in self.delayed.items() if until <= now]

    def behind(self, number: JobNumber) -> Collection[JobUid]:
        """Return those who wait for that job to end."""
        return tuple(self._after.get(number, ()))

    def waiting(self, ref: str) -> int:
        """Return how many jobs of the queue wait here."""
        return self._waiting.get(ref, 0)
