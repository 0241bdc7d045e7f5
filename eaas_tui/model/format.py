"""Words and numbers for cells, lists and sentences. Pure: the time is passed in.

What is unknown is a dash, never a zero. Nothing is told by colour alone: a state has a word and a
sign. Cutting to a width is ``columns.padded``; cards are drawn by ``card_cells``.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from types import MappingProxyType
from typing import Final

from eaas.cli.words import short_duration, size
from eaas.lifecycle import ENDED, JobState
from eaas.views import HeldCardView, JobView, PhaseView
from eaas.why_views import EtaView
from eaas_tui.model.columns import Tone

UNKNOWN: Final = "-"
LAST_MOMENT: Final = 253_000_000_000
"""The year 9987: later ones have no date in every time zone."""

_S: Final = JobState
_STATES: Final[Mapping[str, tuple[str, str, Tone]]] = MappingProxyType(
    {
        _S.PENDING: ("○", ".", "plain"),
        _S.STARTING: ("◐", ">", "busy"),
        _S.RUNNING: ("●", "*", "good"),
        _S.STOPPING: ("◑", "<", "busy"),
        _S.UNKNOWN: ("?", "?", "warn"),
        _S.SUCCEEDED: ("✓", "+", "muted"),
        _S.FAILED: ("✗", "x", "bad"),
        _S.CANCELLED: ("-", "-", "muted"),
        _S.TIMED_OUT: ("!", "!", "warn"),
    }
)
"""Sign, the same in ASCII, and how it is meant."""


_ESSENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "queue_paused": "paused",
        "queue_full": "queue's cap",
        "cap_reserved": "queue's cap",
        "user_cap": "user's cap",
        "card_reserved": "kept for another",
        "booking": "booked",
        "array_full": "array's cap",
        "too_few_nodes": "no room",
        "too_few_free_cards": "no room",
        "too_little_card_memory": "no room",
        "too_little_cpu": "no CPU left",
        "too_little_memory": "no memory left",
    }
)
"""What a narrow cell shows of a reason: the sentences begin with a node or queue."""


def unix(at: str | None) -> float | None:
    """Return the Unix seconds of a moment the controller named; None if it is no moment."""
    if at is None:
        return None
    try:
        seconds = datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds <= LAST_MOMENT else None


def clock_time(at: str, zone: tzinfo | None = None) -> str:
    """Return the time of day of a moment, in that zone or else the machine's."""
    try:
        return datetime.fromisoformat(at).astimezone(zone).strftime("%H:%M:%S")
    except (ValueError, OverflowError):
        return UNKNOWN


def duration(seconds: float | None) -> str:
    """Return a duration in two units at most: ``37s``, ``12m4s``, ``17h29m``, ``3d2h``."""
    return short_duration(seconds) or UNKNOWN


def age(at: str | None, now: float) -> str:
    """Return how long ago a moment was."""
    then = unix(at)
    return UNKNOWN if then is None else duration(now - then)


def mib(value: int | None) -> str:
    """Return a memory size: ``512MiB``, ``1.5GiB``, ``24GiB``."""
    return size(value) or UNKNOWN


def percent(value: float | None) -> str:
    """Return a share."""
    return UNKNOWN if value is None else f"{value:.0f}%"


def state_sign(state: str, *, ascii: bool = False) -> str:
    """Return the state's sign, one cell wide."""
    sign, plain, _ = _STATES.get(state, ("?", "?", "plain"))
    return plain if ascii else sign


def state_tone(state: str) -> Tone:
    """Return how the state is meant."""
    return _STATES.get(state, ("?", "?", "plain"))[2]


def state_cell(job: JobView, *, ascii: bool = False) -> str:
    """Return sign and word; a job that is starting says how far it is, a failed one its code."""
    word = job.state
    if job.phase is not None and job.state == _S.STARTING:
        share = done_pct(job.phase)
        word = job.phase.name if share is None else f"{job.phase.name} {share}%"
    elif job.state == _S.FAILED and job.exit_code is not None:
        word = f"{job.state} {job.exit_code}"
    return f"{state_sign(job.state, ascii=ascii)} {word}"


def gpus(job: JobView) -> int:
    """Return how many cards the job has or asks for."""
    asked = job.spec.get("gpus", 0)
    return max(len(job.cards), asked if isinstance(asked, int) else 0)


def image(job: JobView) -> str:
    """Return the image's name; empty for a job without one."""
    name = job.spec.get("image")
    return name if isinstance(name, str) else ""


def run_s(job: JobView, now: float) -> float | None:
    """Return how long the job has run by now, or ran; None if it never did."""
    if job.started_at is None or job.state in ENDED or job.state == _S.PENDING:
        return job.run_s
    began = unix(job.started_at)
    return job.run_s if began is None else max(0.0, now - began)


def run_time(job: JobView, now: float) -> str:
    """Return how long the job has run, for a cell."""
    return duration(run_s(job, now))


def where(job: JobView) -> str:
    """Return node and cards: ``node03:0-3``."""
    if job.node is None:
        return UNKNOWN
    return f"{job.node}:{card_numbers(job.cards)}" if job.cards else job.node


def card_numbers(cards: Sequence[HeldCardView]) -> str:
    """Return the cards' indices with runs drawn together: ``0-3,6``; ``?`` for a card not known."""
    known = [card.index for card in cards if card.index is not None]
    parts = [number_runs(known)] if known else []
    return ",".join(parts + ["?"] * (len(cards) - len(known)))


def number_runs(numbers: Iterable[int]) -> str:
    """Return the numbers with runs drawn together: ``0-3,6``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def done_pct(phase: PhaseView) -> int | None:
    """Return how much of a phase is done, where that is known."""
    if phase.done_bytes is None or not phase.total_bytes:
        return None
    return min(100, 100 * phase.done_bytes // phase.total_bytes)


def progress(phase: PhaseView) -> str:
    """Return what a job that starts is doing: ``pulling 40% of 3.1GiB, 2m left``."""
    share = done_pct(phase)
    if share is None:
        return phase.name
    left = "" if phase.eta_s is None else f", {duration(phase.eta_s)} left"
    return f"{phase.name} {share}% of {mib(max(1, (phase.total_bytes or 0) >> 20))}{left}"


def why(job: JobView, now: float) -> str:
    """Return in one phrase why the job stands where it does, and when that will change."""
    text = "" if job.reason is None else job.reason.text
    if job.state == _S.PENDING:
        code = "" if job.reason is None else job.reason.code
        place = "" if job.position is None else f"#{job.position}"
        lead = f"{place} {_ESSENCES.get(code, '')}".strip()
        return f"{lead}: {text}" if lead and text else lead or text
    if job.state == _S.STARTING and job.phase is not None:
        return progress(job.phase)
    if job.state == _S.RUNNING and not text:
        return _time_left(job, now)
    if job.state in ENDED and not text:
        return "" if not job.exit_code else f"exited with code {job.exit_code}"
    return text


def _time_left(job: JobView, now: float) -> str:
    ran = run_s(job, now)
    if job.timeout_s is None or ran is None:
        return ""
    return f"ends within {duration(max(0.0, job.timeout_s - ran))}"


def eta(view: EtaView, now: float) -> str:
    """Return when a waiting job will start, and how sure that is."""
    at = unix(view.at)
    in_s = view.in_s if at is None else at - now
    if in_s is None:
        return "nobody can say when"
    if in_s <= 0:
        return "any moment"
    return f"in {duration(in_s)}" if view.kind == "certain" else f"in about {duration(in_s)}"


def of_limit(used: int, limit: int | None) -> str:
    """Return a count with its limit: ``12/16``; just the count where there is none."""
    return str(used) if limit is None else f"{used}/{limit}"
