"""What would become of a job if it were submitted now. Changes nothing."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from eaas.errors import EaasError, FieldError, Invalid
from eaas.ids import JobNumber, JobUid
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState
from eaas.units import rough_duration, utc_text
from eaas.views import HeldCardView
from eaas.why_views import DryRunView, EtaView, FieldErrorView, WhyView
from eaas_daemon.core.admission import Possible, admit, mount_meant, queue_for
from eaas_daemon.core.attempts import place_all
from eaas_daemon.core.dependencies import later, unmet
from eaas_daemon.core.events import Caller
from eaas_daemon.core.explain import Explainer, in_line
from eaas_daemon.core.gangs import as_ranks
from eaas_daemon.core.interrupting import interrupt
from eaas_daemon.core.making_room import stopping_for
from eaas_daemon.core.model import Job
from eaas_daemon.core.preempt import READY_S, looked_at
from eaas_daemon.core.state import State
from eaas_daemon.core.still import still

NO_UID = JobUid("")
NOBODY_KNOWS: Final = EtaView(at=None, in_s=None, kind="unknown")


def dry_run(state: State, spec: JobSpec, caller: Caller, now: float) -> DryRunView:
    """Return the verdict on a job that nobody has submitted."""
    try:
        job = would_be(state, spec, caller, now)
        admit(state, job, state.queues[job.ref], caller, force=True, more=len(spec.parts) or 1)
    except Invalid as refusal:
        return refused(state, refusal)
    except EaasError as refusal:
        return refused(state, Invalid((FieldError(field="queue", message=refusal.sentence),)))
    return _verdict(state, job, now)


def first_refused(
    state: State, specs: Sequence[JobSpec], caller: Caller, now: float, *, force: bool
) -> int:
    """Return the place of the first job that would be refused; the last one if none would."""
    all_refused = each_refused(state, specs, caller, now, force=force)
    return next((index for index, _ in all_refused), len(specs) - 1)


def each_refused(
    state: State, specs: Iterable[JobSpec], caller: Caller, now: float, *, force: bool
) -> Iterator[tuple[int, EaasError]]:
    """Yield the place of every job that would be refused by itself, and why."""
    possible: Possible = set()
    for index, spec in enumerate(specs):
        try:
            job = would_be(state, spec, caller, now)
            queue, more = state.queues[job.ref], len(spec.parts) or 1
            admit(state, job, queue, caller, force=force, possible=possible, more=more)
        except EaasError as refusal:
            yield index, refusal


def would_be(state: State, spec: JobSpec, caller: Caller, now: float) -> Job:
    """Return the job as it would begin to wait, with the number it might get."""
    pool, queue = queue_for(state, spec)
    return Job(
        uid=NO_UID,
        number=JobNumber(state.next_number),
        user=caller.user,
        spec=spec,
        pool=pool.name,
        queue=queue.name,
        state=JobState.PENDING,
        priority=spec.priority,
        created_at=now,
        timeout_s=spec.timeout_s or queue.timeout_s,
        waits_for=unmet(state, spec),
        not_before=later(spec.not_before, now),
    )


def refused(state: State, refusal: Invalid) -> DryRunView:
    """Return the verdict on what is no job at all."""
    return DryRunView(
        job=None,
        state=None,
        verdict="never",
        text=f"this would be refused: {refusal.sentence}",
        position=None,
        reasons=(),
        nodes=(),
        blockers=(),
        eta=NOBODY_KNOWS,
        advice=(),
        as_of_seq=state.seq,
        valid=False,
        errors=tuple(_error_view(error) for error in refusal.errors),
        would="never",
        node=None,
        cards=(),
    )


def _error_view(error: FieldError) -> FieldErrorView:
    return FieldErrorView(
        field=error.field,
        line=error.line,
        column=error.column,
        message=error.message,
        suggestion=error.suggestion,
    )


def _verdict(state: State, job: Job, now: float) -> DryRunView:
    """Let the job come in on a copy of the state: what happens there would happen here."""
    twin = still(state)
    twin.settle()
    ranks = as_ranks(job) if job.spec.num_nodes > 1 else [job]
    for rank in ranks:
        twin.put_job(rank)
    looked = looked_at(twin)
    place_all(twin, now)
    interrupt(twin, looked, now)
    ranks = [twin.jobs[rank.uid] for rank in ranks]
    job = ranks[0]
    explainer = Explainer(twin, now)
    why = replace(explainer.why(job), job=None, state=None, as_of_seq=state.seq)
    if why.verdict == "never":
        return _view(why, "never", text=_never_text(state, job, why))
    if victims := stopping_for(twin, job):
        return _after_interrupting(why, victims, now)
    if job.state is JobState.PENDING:
        reason = (why.text.partition(": ")[2] or why.text).removesuffix(in_line(why.position))
        return _view(why, "wait", text=f"it would wait{_behind(why)}: {reason}")
    cards = tuple(
        HeldCardView(uuid=card.uuid, index=card.index, memory_mib=card.memory_mib)
        for rank in ranks
        for card in rank.attempts[-1].cards
    )
    names = tuple(rank.attempts[-1].node for rank in ranks)
    text = f"it would start on {', '.join(names)} now"
    return _view(why, "start", text=text, nodes=names, cards=cards)


def _after_interrupting(why: WhyView, victims: Sequence[Job], now: float) -> DryRunView:
    named = ", ".join(f"{job.called} ({job.user})" for job in victims)
    jobs = f"job{'' if len(victims) == 1 else 's'} {named}"
    eta = EtaView(at=utc_text(now + READY_S), in_s=READY_S, kind="estimate")
    text = f"it would start after interrupting {jobs}, about {rough_duration(READY_S)}"
    return _view(replace(why, eta=eta), "wait", text=text)


def _behind(why: WhyView) -> str:
    """Return behind how many jobs it would wait, and how long, as far as that is known."""
    ahead = (why.position or 1) - 1
    jobs = f" behind {ahead} {'job' if ahead == 1 else 'jobs'}" if ahead else ""
    if (in_s := why.eta.in_s) is None:
        return jobs
    about = "at most" if why.eta.kind == "certain" else "about"
    return f"{jobs}{',' if jobs else ''} {about} {rough_duration(in_s)}"


def _never_text(state: State, job: Job, why: WhyView) -> str:
    facts = "; ".join(filter(None, [*(n.text for n in why.nodes), mount_meant(state, job)]))
    if job.spec.num_nodes > 1:
        few = (one.text for one in why.reasons if one.code == "pool_too_small")
        facts = "; ".join(filter(None, [*few, facts]))
        return f"no {job.spec.num_nodes} nodes at once could ever run it: {facts}"
    return f"no node could ever run it: {facts}"


def _view(
    why: WhyView,
    would: Literal["start", "wait", "never"],
    *,
    text: str,
    nodes: tuple[str, ...] = (),
    cards: tuple[HeldCardView, ...] = (),
) -> DryRunView:
    return DryRunView(
        job=None,
        state=None,
        verdict=why.verdict,
        text=text,
        position=why.position,
        reasons=why.reasons,
        nodes=why.nodes,
        blockers=why.blockers,
        eta=why.eta,
        advice=why.advice,
        as_of_seq=why.as_of_seq,
        valid=True,
        errors=(),
        would=would,
        node=nodes[0] if nodes else None,
        cards=cards,
        on_nodes=nodes,
    )
