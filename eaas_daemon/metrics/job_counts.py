"""Counts what becomes of jobs: a listener of the engine that looks at every stored step once."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from eaas.ids import JobUid
from eaas.lifecycle import ENDED
from eaas.reasons import AttemptLost, ConfirmedDead
from eaas_daemon.core.changes import Changes, JournalRow
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.model import Attempt, Job
from eaas_daemon.core.state import State
from eaas_daemon.metrics.live import JobInstruments

ENDS: Final[Mapping[str, str]] = {f"job.{state.lower()}": str(state) for state in ENDED}


class _Followed(NamedTuple):
    """A live attempt, and whether its start has been counted."""

    number: int
    started: bool


class JobCounts:
    """Hears every stored step. Remembers live attempts only, so that none is counted twice."""

    def __init__(self, state: State, counts: JobInstruments) -> None:
        self._state = state
        self._counts = counts
        self._live: dict[JobUid, _Followed] = {}
        for queue in state.queues.values():
            counts.begin(queue)
        self.start_over()

    def start_over(self) -> None:
        """Follow all live attempts anew; what has started was counted before, or is not ours."""
        self._live.clear()
        for jobs in self._state.placed.values():
            for job in jobs.values():
                self._follow(job, known=True)

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Count what the step has done."""
        for queue in changes.queues:
            self._counts.begin(queue)
        for ref in changes.gone_queues:
            self._counts.forget(ref)
        jobs = {int(job.number): job for job in changes.jobs}
        for row in changes.journal:
            if row.kind == "log.dropped":
                self._counts.logs_dropped.inc()
            elif row.job is not None and (job := jobs.get(row.job)) is not None:
                self._count(row, job)
        for job in changes.jobs:
            self._look(job)

    def _count(self, row: JournalRow, job: Job) -> None:
        if row.kind == "job.submitted":
            self._counts.submitted.labels(job.pool, job.queue).inc()
        elif row.kind == "job.requeued":
            self._counts.retried.labels(job.pool, job.queue).inc()
        elif row.kind == "job.interrupted":
            self._counts.preempted.labels(job.pool, job.queue).inc()
        elif (ended := ENDS.get(row.kind)) is not None:
            self._counts.ended.labels(job.pool, job.queue, ended).inc()

    def _look(self, job: Job) -> None:
        """Count the start and the end of the attempt that was live, and follow the one that is."""
        followed, live = self._live.get(job.uid), job.live_attempt
        if followed is not None:
            attempt = job.attempts[followed.number - 1]
            self._note_start(job, attempt, followed)
            if live is None or live.number != followed.number:
                del self._live[job.uid]
                self._note_end(job, attempt)
        self._follow(job, known=False)

    def _follow(self, job: Job, *, known: bool) -> None:
        attempt = job.live_attempt
        if attempt is None or job.uid in self._live:
            return
        followed = _Followed(attempt.number, known and attempt.started_at is not None)
        self._live[job.uid] = followed
        self._note_start(job, attempt, followed)

    def _note_start(self, job: Job, attempt: Attempt, followed: _Followed) -> None:
        if followed.started or attempt.started_at is None:
            return
        self._live[job.uid] = _Followed(attempt.number, started=True)
        self._counts.started.labels(job.pool, job.queue).inc()
        if attempt.number == 1:
            waited_s = max(0.0, attempt.started_at - job.created_at)
            self._counts.wait.labels(job.pool, job.queue).observe(waited_s)

    def _note_end(self, job: Job, attempt: Attempt) -> None:
        if isinstance(attempt.reason, AttemptLost | ConfirmedDead):
            self._counts.lost.labels(job.pool, job.queue).inc()
        if attempt.started_at is not None and attempt.finished_at is not None:
            ran_s = max(0.0, attempt.finished_at - attempt.started_at)
            self._counts.run.labels(job.pool, job.queue).observe(ran_s)
