"""What people see of jobs: the list, the card of one, and why it waits."""

from collections.abc import Iterable, Sequence
from typing import Any

from eaas.cli.fold import folded
from eaas.cli.output import Block, Facts, Lines, Table
from eaas.cli.words import ago, cards, many, moment, reason, short_duration, size, untold_reasons
from eaas.lifecycle import ENDED, JobState
from eaas.units import format_duration
from eaas.views import AttemptView, JobView, PhaseView
from eaas.why_views import BlockerView, DryRunView, EtaView, WhyView

JOB_COLUMNS = ("ID", "NAME", "STATE", "QUEUE", "USER", "GPUS", "NODE", "AGE", "RAN", "REASON")


def job_table(jobs: Sequence[JobView]) -> Table:
    """Return the list of jobs, one line each, waiting tasks that are alike in one."""
    return Table(
        JOB_COLUMNS,
        [_job_row(row.job, row.ref) for row in folded(jobs)],
        when_empty="no jobs here; mini-eaas job list --all shows those that ended",
    )


def job_card(job: JobView) -> Iterable[Block]:
    """Yield everything about one job."""
    yield Facts(_facts(job))
    if spec := spec_facts(job.spec):
        yield Facts(spec)
    if script := _script(job.spec):
        yield Lines(["command:", *(f"  {line}" for line in script)])
    if job.attempts:
        yield _attempts(job.attempts)


def rank_lines(ranks: Sequence[JobView]) -> Lines:
    """Return where each rank of a job on several nodes stands."""
    told = (
        f"  rank {job.array_index}{f' on {job.node}' if job.node else ''}: {state(job)}"
        f"{f', {job.reason.text}' if job.reason else ''}"
        for job in ranks
    )
    return Lines(["its ranks, each with a log of its own:", *told])


def job_line(job: JobView) -> str:
    """Return where a job stands, in one line: ``42 Stopping``."""
    return f"{job.ref} {state(job)}"


def state(job: JobView) -> str:
    """Return the state with its phase, or with the exit code it failed with."""
    if job.phase is not None:
        return f"{job.state} ({phase(job.phase)})"
    if job.state == JobState.FAILED and job.exit_code is not None:
        return f"{job.state} ({job.exit_code})"
    return job.state


def phase(view: PhaseView) -> str:
    """Return a phase with its progress: ``pulling 40% of 3.1GiB``."""
    if view.done_bytes is None or not view.total_bytes:
        return view.name
    done = int(100 * view.done_bytes / view.total_bytes)
    return f"{view.name} {done}% of {size(max(1, view.total_bytes >> 20))}"


def why_picture(why: WhyView) -> Iterable[Block]:
    """Yield the verdict, its reasons node by node, who is in the way, and what would help."""
    yield Lines([why.text])
    yield Lines([f"{reason.scope}: {reason.text}" for reason in untold_reasons(why)])
    if why.nodes:
        rows = [(node.node, node.code, node.text) for node in why.nodes]
        yield Table(("NODE", "CODE", "WHY NOT"), rows)
    if why.blockers:
        yield _blockers(why)
    if eta := _eta(why.eta):
        yield Lines([eta])
    if why.advice:
        yield Lines([f"- {advice}" for advice in why.advice])


def dry_run_picture(dry: DryRunView) -> Iterable[Block]:
    """Yield what would become of the job."""
    for error in dry.errors:
        place = "" if error.line is None else f"line {error.line}, column {error.column}: "
        yield Lines([f"{place}{error.message}"])
    if not dry.valid:
        return
    yield from why_picture(dry)
    if dry.cards:
        yield Lines([f"on cards: {cards(dry.cards)}"])


def _job_row(job: JobView, ref: str) -> tuple[str | None, ...]:
    return (
        ref,
        job.name,
        state(job),
        f"{job.pool}/{job.queue}",
        job.user,
        _gpus(job),
        job.node,
        ago(job.created_at),
        short_duration(job.run_s),
        _why_here(job),
    )


def _gpus(job: JobView) -> str:
    asked = (job.spec or {}).get("gpus", 0)
    return str(max(len(job.cards), asked if isinstance(asked, int) else 0))


def _why_here(job: JobView) -> str | None:
    text = reason(job.reason)
    if job.state == JobState.PENDING and job.position is not None:
        return f"#{job.position} in line" + (f": {text}" if text else "")
    return text


def _facts(job: JobView) -> list[tuple[str, str | None]]:
    waits = job.state == JobState.PENDING
    return [
        ("job", job.ref + (f" {job.name}" if job.name else "")),
        ("state", state(job)),
        ("reason", reason(job.reason)),
        ("in line", str(job.position) if waits and job.position is not None else None),
        ("queue", f"{job.pool}/{job.queue}"),
        ("user", job.user),
        ("priority", str(job.priority)),
        ("node", job.node),
        ("cards", cards(job.cards)),
        ("attempt", str(job.attempt) if job.attempt else None),
        ("preempted", many(job.preemptions, "time") if job.preemptions else None),
        ("exit code", None if job.exit_code is None else str(job.exit_code)),
        ("out of memory", "yes" if job.oom_killed else None),
        ("submitted", moment(job.created_at)),
        ("started", moment(job.started_at)),
        ("ended", moment(job.finished_at)),
        ("ran for" if job.state in ENDED else "runs for", short_duration(job.run_s)),
        ("timeout", None if job.timeout_s is None else format_duration(job.timeout_s)),
        ("image digest", job.image_digest),
        ("workspace", job.workspace),
        ("uid", job.uid),
    ]


def spec_facts(spec: dict[str, Any] | None) -> list[tuple[str, str | None]]:
    """Return what was asked for, but for what is shown elsewhere."""
    shown = {"name", "pool", "queue", "priority", "timeout"}
    return [
        (key.replace("_", " "), _typed(value))
        for key, value in (spec or {}).items()
        if key not in shown and value not in (None, [], {}, False)
        if key != "command" or not _script(spec)
    ]


def _script(spec: dict[str, Any] | None) -> list[str]:
    """Return the lines of a command that has several."""
    command = (spec or {}).get("command")
    lines = command.strip().splitlines() if isinstance(command, str) else []
    return lines if len(lines) > 1 else []


def _typed(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_typed(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_typed, value))
    return str(value)


def _attempts(attempts: Sequence[AttemptView]) -> Table:
    rows = [
        (
            str(one.number),
            one.state,
            one.node,
            cards(one.cards),
            moment(one.started_at),
            moment(one.finished_at),
            None if one.exit_code is None else str(one.exit_code),
            reason(one.reason),
        )
        for one in attempts
    ]
    columns = ("ATTEMPT", "STATE", "NODE", "CARDS", "STARTED", "ENDED", "EXIT", "REASON")
    return Table(columns, rows)


def _blockers(why: WhyView) -> Table:
    rows = [
        (
            one.ref or str(one.job),
            one.user,
            one.node,
            many(len(one.cards), "card"),
            _ends(one),
        )
        for one in why.blockers
    ]
    return Table(("IN THE WAY", "USER", "NODE", "HOLDS", "ENDS"), rows)


def _ends(blocker: BlockerView) -> str:
    """Return when the job ends; what is certain is its timeout, so it may end sooner."""
    if blocker.ends_at is None:
        return "unknown"
    sure = "at the latest" if blocker.ends_kind == "certain" else "by estimate"
    return f"{moment(blocker.ends_at)} {sure}"


def _eta(eta: EtaView) -> str | None:
    if eta.at is None:
        return None
    sure = "certain" if eta.kind == "certain" else "an estimate"
    return f"starts in {short_duration(eta.in_s)}, at {moment(eta.at)} ({sure})"
