"""What the screen of one job says: everything about it, why it waits, its journal, its spec."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len

from eaas.cli.words import ago, cards, many, moment, short_duration, size
from eaas.lifecycle import ENDED, JobState
from eaas.units import format_duration
from eaas.views import AttemptView, EventView, JobView, LogView, PhaseView
from eaas.why_views import WhyView
from eaas_tui.model.columns import Cell
from eaas_tui.model.format import state_tone, unix
from eaas_tui.model.job_why import why_lines
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.model.text_lines import BLANK, TextLine, heading, table, text

LABEL: Final = 14


def title(job: JobView, now: float) -> TextLine:
    """Return the line above everything: which job it is and how it stands."""
    place = f"on {job.node}" if job.node else None
    if job.cards and job.node:
        place = f"on {job.node} card {cards(job.cards)}"
    parts = (
        f"{job.user}  {job.pool}/{job.queue}",
        place,
        f"prio {job.priority}",
        f"attempt {job.attempt}" if job.attempt else None,
    )
    tail = "  ".join(part for part in parts if part)
    name = f" {job.name}" if job.name else ""
    return text(
        Cell(f"#{job.ref}{name}  ", "strong"),
        Cell(state_words(job), state_tone(job.state)),
        f"  {run_words(job, now)}  {tail}" if run_words(job, now) else f"  {tail}",
    )


def overview(
    job: JobView, why: WhyView | None, now: float, picture: Picture = EMPTY
) -> list[TextLine]:
    """Return all there is to say of the job, what matters now first."""
    lines: list[TextLine] = []
    if why is not None and job.state not in ENDED and (why.verdict != "placed" or why.advice):
        lines += [*why_lines(why, picture), BLANK]
    lines += facts(job, now)
    if job.attempts:
        lines += [BLANK, heading("ATTEMPTS"), *_attempts(job.attempts, now)]
    return lines


def facts(job: JobView, now: float) -> list[TextLine]:
    """Return what is known of the job, a line each; what is not known has none."""
    ended = job.state in ENDED
    waits = job.state == JobState.PENDING
    pairs = (
        ("state", state_words(job)),
        ("reason", None if job.reason is None else job.reason.text),
        ("in line", None if not waits or job.position is None else f"number {job.position}"),
        ("user", job.user),
        ("queue", f"{job.pool}/{job.queue}"),
        ("priority", str(job.priority)),
        ("node", job.node),
        ("cards", cards(job.cards)),
        ("preempted", many(job.preemptions, "time") if job.preemptions else None),
        ("exit code", None if job.exit_code is None else str(job.exit_code)),
        ("out of memory", "yes" if job.oom_killed else None),
        ("submitted", _when(job.created_at, now)),
        ("started", _when(job.started_at, now)),
        ("ended", _when(job.finished_at, now)),
        ("ran for" if ended else "runs for", run_words(job, now)),
        ("timeout", None if job.timeout_s is None else format_duration(job.timeout_s)),
        ("image", job.spec.get("image") if job.spec else None),
        ("image digest", job.image_digest),
        ("workspace", job.workspace),
        ("uid", job.uid),
    )
    return [
        text(Cell(f"{label:<{LABEL}}", "muted"), value, indent=LABEL)
        for label, value in pairs
        if value
    ]


def state_words(job: JobView) -> str:
    """Return the state with its phase, or with the exit code it failed with."""
    if job.phase is not None:
        return f"{job.state} ({_phase(job.phase)})"
    if job.state == JobState.FAILED and job.exit_code is not None:
        return f"{job.state} (exit {job.exit_code})"
    return job.state


def run_words(job: JobView, now: float) -> str | None:
    """Return how long the job runs by now, or ran."""
    if job.state in (JobState.RUNNING, JobState.STOPPING) and job.started_at is not None:
        return ago(job.started_at, now)
    return short_duration(job.run_s)


def event_lines(events: Iterable[EventView]) -> list[TextLine]:
    """Return the job's lines of the journal, the newest last."""
    found = [
        text(Cell(f"{moment(event.at) or '':<25}", "muted"), event.text, indent=25)
        for event in events
    ]
    return found or [text(Cell("nothing is in the journal about this job", "muted"))]


def spec_lines(job: JobView) -> list[TextLine]:
    """Return the job as a job file, without what was left at its default."""
    if not job.spec:
        return [text(Cell("its spec is shown to its owner and to admins only", "muted"))]
    given = {key: value for key, value in job.spec.items() if value not in (None, [], {}, False)}
    return [_yaml_line(line) for line in spec_yaml(given).splitlines()]


def spec_yaml(spec: dict[str, object]) -> str:
    """Return a spec as YAML that can be submitted again; scripts stay readable."""
    from eaas.yaml_text import yaml_text  # PyYAML is large, and not on the first screen

    return yaml_text(spec, width=4096)


def log_size(log: LogView) -> str:
    """Return how much an attempt wrote."""
    total = log.stdout_bytes + log.stderr_bytes
    gap = "" if log.gap_bytes == 0 else ", some left out over the cap"
    return bytes_words(total) + gap


def bytes_words(count: int) -> str:
    """Return a number of bytes for people: ``812 B``, ``10.4 MiB``."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def _ran(attempt: AttemptView, now: float) -> str | None:
    """Return how long the attempt ran, by now if it still does; None if it never did."""
    began, ended = unix(attempt.started_at), unix(attempt.finished_at)
    if began is None:
        return None
    return short_duration(max(0.0, (now if ended is None else ended) - began))


def _attempts(attempts: Sequence[AttemptView], now: float) -> list[TextLine]:
    titles = ("NO", "STATE", "NODE", "CARDS", "STARTED", "RAN", "EXIT", "LOG", "REASON")
    return table(
        titles,
        [
            (
                str(one.number),
                one.state,
                one.node,
                cards(one.cards),
                moment(one.started_at),
                _ran(one, now),
                None if one.exit_code is None else str(one.exit_code),
                "grows" if one.finished_at is None else log_size(one.log),
                None if one.reason is None else one.reason.text,
            )
            for one in reversed(attempts)
        ],
    )


def _when(at: str | None, now: float) -> str | None:
    return None if at is None else f"{moment(at)} ({ago(at, now)} ago)"


def _phase(view: PhaseView) -> str:
    if view.done_bytes is None or not view.total_bytes:
        return view.name
    done = int(100 * view.done_bytes / view.total_bytes)
    left = "" if view.eta_s is None else f", {short_duration(view.eta_s)} left"
    return f"{view.name} {done}% of {size(max(1, view.total_bytes >> 20))}{left}"


def _yaml_line(line: str) -> TextLine:
    key, colon, rest = line.partition(":")
    if colon and key.replace("_", "").isalnum():
        return text(Cell(key + colon, "busy"), rest, indent=cell_len(key) + 2)
    return text(line, indent=len(line) - len(line.lstrip()) + 2)
