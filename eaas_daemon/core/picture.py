"""Jobs and their attempts as views: pure, from one state at one moment."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import JobUid
from eaas.job_spec import spec_as_typed
from eaas.lifecycle import JobState
from eaas.sentences import sentence
from eaas.units import utc_text
from eaas.views import AttemptView, HeldCardView, JobView, LogView, PhaseView, ReasonView
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Attempt, HeldCard, Job
from eaas_daemon.core.state import State

LogSize = Callable[[JobUid, int], tuple[int, int]]
"""(uid, attempt) -> bytes of stdout and stderr that have arrived."""

HIDDEN = ("env", "command", "with")
"""Keys of the spec that only the owner and admins may read."""


def reason_view(reason: r.Reason | None) -> ReasonView | None:
    """Return the reason with its sentence."""
    return None if reason is None else ReasonView(code=reason.code, text=sentence(reason))


def time_text(unix_s: float | None) -> str | None:
    """Return RFC 3339 UTC, or None for None."""
    return None if unix_s is None else utc_text(unix_s)


class Painter:
    """Draws jobs of one state. Valid until the state changes."""

    def __init__(self, state: State, log_size: LogSize, now: float) -> None:
        self.state = state
        self.explainer = Explainer(state, now)
        self._log_size = log_size
        self._now = now
        self._positions: Mapping[JobUid, int] | None = None
        self._told: dict[int, tuple[r.Reason, ReasonView | None]] = {}
        """What was told of a reason, by which one it is: jobs that are alike share theirs."""

    def job(self, job: Job, *, private: bool = True) -> JobView:
        """Return the job's view; not ``private`` leaves out what is its owner's business."""
        attempt = job.attempt
        live = job.live_attempt or (attempt if job.ended else None)
        return JobView(
            id=job.number,
            uid=job.uid,
            ref=job.called,
            array_index=job.array_index,
            name=job.spec.name,
            user=job.user,
            pool=job.pool,
            queue=job.queue,
            state=job.state,
            phase=self._phase(job),
            reason=self._reason(job),
            position=self._position(job),
            priority=job.priority,
            attempt=len(job.attempts),
            node=live.node if live else None,
            cards=cards_view(live.cards) if live else (),
            exit_code=attempt.exit_code if attempt and job.ended else None,
            oom_killed=attempt.oom_killed if attempt and job.ended else None,
            created_at=utc_text(job.created_at),
            started_at=time_text(live.started_at) if live else None,
            finished_at=time_text(job.finished_at),
            run_s=self._run_s(live) if live else None,
            timeout_s=job.timeout_s,
            image_digest=job.image_digest,
            spec=self._spec(job, private),
            attempts=tuple(self._attempt(job.uid, each) for each in job.attempts),
            workspace=workspace_text(job),
            array=job.array,
            preemptions=job.preemptions,
        )

    def job_now(self, job: Job, *, private: bool = True) -> JobView:
        """Return the view as it is at this moment: a running job says that its node is missed.

        Nobody is told when that ends, so it is for answers alone and for no stream.
        """
        view = self.job(job, private=private)
        missed = self.explainer.missed(job)
        return view if missed is None else replace(view, reason=reason_view(missed))

    def _spec(self, job: Job, private: bool) -> dict[str, object]:
        typed = spec_as_typed(job.spec)
        if not private:
            typed.update({key: None for key in HIDDEN if key in typed})
        return typed

    def _reason(self, job: Job) -> ReasonView | None:
        reason = self.explainer.reason(job)
        if reason is None:
            return None
        if id(reason) not in self._told:
            self._told[id(reason)] = reason, reason_view(reason)
        return self._told[id(reason)][1]

    def _position(self, job: Job) -> int | None:
        if not job.in_line:
            return None
        if self._positions is None:
            return self.state.line.position(job, self.state.order)
        return self._positions.get(job.uid)

    def number_positions(self, known: Mapping[JobUid, int] | None = None) -> Mapping[JobUid, int]:
        """Count every line once, before many waiting jobs are drawn; return the places.

        ``known`` spares the counting: what was returned before, while no line has changed.
        """
        self._positions = known or {
            uid: index
            for pool in self.state.pools
            for index, uid in enumerate(self.state.line.in_order(pool, self.state.order), 1)
        }
        return self._positions

    def _phase(self, job: Job) -> PhaseView | None:
        if job.state is not JobState.STARTING:
            return None
        phase = self.state.phases.get(job.uid)
        if phase is None:
            return PhaseView(name="starting")
        return PhaseView(
            name=phase.name, done_bytes=phase.done_bytes, total_bytes=phase.total_bytes
        )

    def _run_s(self, attempt: Attempt) -> float | None:
        if attempt.started_at is None:
            return None
        end = attempt.finished_at if attempt.finished_at is not None else self._now
        return round(max(0.0, end - attempt.started_at), 3)

    def _attempt(self, uid: JobUid, attempt: Attempt) -> AttemptView:
        if attempt.stdout_bytes is not None and attempt.stderr_bytes is not None:
            stdout, stderr = attempt.stdout_bytes, attempt.stderr_bytes
        else:
            stdout, stderr = self._log_size(uid, attempt.number)
        return AttemptView(
            number=attempt.number,
            state=attempt.state,
            node=attempt.node,
            cards=cards_view(attempt.cards),
            container_id=attempt.handle,
            created_at=utc_text(attempt.created_at),
            started_at=time_text(attempt.started_at),
            finished_at=time_text(attempt.finished_at),
            exit_code=attempt.exit_code,
            oom_killed=attempt.oom_killed,
            reason=reason_view(attempt.reason),
            log=LogView(
                stdout_bytes=stdout,
                stderr_bytes=stderr,
                gap_bytes=attempt.gap_bytes,
                complete=attempt.log_complete,
            ),
        )


def cards_view(cards: tuple[HeldCard, ...]) -> tuple[HeldCardView, ...]:
    """Return the attempt's cards as views."""
    return tuple(
        HeldCardView(uuid=card.uuid, index=card.index, memory_mib=card.memory_mib) for card in cards
    )


def workspace_text(job: Job) -> str | None:
    """Say where the job's workspace is and until when it is kept."""
    attempt = job.attempt
    if attempt is None:
        return None
    if job.workspace_gone == "disk_pressure":
        return f"deleted on {attempt.node} because its disk was filling up"
    if job.workspace_gone == "expired":
        return f"deleted on {attempt.node} when its keeping time had passed"
    if job.keep_until is None:
        return f"on {attempt.node}"
    until = utc_text(job.keep_until)[:16].replace("T", " ")
    return f"on {attempt.node}, kept until {until} UTC unless its disk fills up"
