"""A whole run of a job as curves: every card's utilisation and memory, from its start on."""

from datetime import datetime, tzinfo
from typing import Final

from eaas.sample_views import CardRunView, JobSamplesView
from eaas.views import AttemptView
from eaas_tui.model.card_curves import card_name
from eaas_tui.model.curve_points import Curve, Value
from eaas_tui.model.format import duration, unix

DAY_FROM_S: Final = 20 * 3600.0
"""A run this long says the day, too."""
MIB: Final = 1024


def run_curves(
    view: JobSamplesView, attempt: AttemptView, zone: tzinfo | None = None
) -> list[Curve]:
    """Return two curves a card; times of day in that zone or else the machine's."""
    is_live = attempt.finished_at is None
    run_s = run_length_s(view)
    since = moment(view.begin_at, run_s, zone)
    until = "now" if is_live else moment(attempt.finished_at, run_s, zone)
    curves = []
    for card in view.cards:
        for curve in (_load(card), _memory(card)):
            curves.append(
                Curve(
                    title=curve[0],
                    short=curve[1],
                    unit=curve[2],
                    top=curve[3],
                    values=curve[4],
                    peaks=curve[5],
                    every_s=view.every_s,
                    since=since,
                    until=until,
                    is_whole=True,
                    is_live=is_live,
                )
            )
    return curves


_Parts = tuple[str, str, str, float, tuple[Value, ...], tuple[Value, ...]]


def _load(card: CardRunView) -> _Parts:
    name = card_name(card.uuid, card.index)
    values, peaks = card.utilization_pct, card.utilization_max_pct
    return f"{name} utilisation", f"{name} util", "%", 100.0, values, peaks


def _memory(card: CardRunView) -> _Parts:
    name = card_name(card.uuid, card.index)
    values, peaks = _gib(card.memory_used_mib), _gib(card.memory_used_max_mib)
    known = [peak for peak in peaks if peak is not None]
    top = card.memory_total_mib / MIB if card.memory_total_mib else max(known, default=1.0)
    return f"{name} memory", f"{name} mem", "GiB", top, values, peaks


def run_length_s(view: JobSamplesView) -> float:
    """Return how much time the samples are about."""
    points = max((len(card.utilization_pct) for card in view.cards), default=0)
    return points * view.every_s


def run_caption(view: JobSamplesView, attempt: AttemptView, count: int) -> str:
    """Return in a line whose run it is and what a point of it means."""
    whose = f"attempt {attempt.number} of {count} on {attempt.node}"
    return f"{whose}; a point is {duration(view.every_s)}: its mean, in grey its most"


def moment(at: str | None, run_s: float, zone: tzinfo | None = None) -> str:
    """Return the time of day of a moment; of a long run with its day."""
    seconds = unix(at)
    if seconds is None:
        return "start"
    form = "%m-%d %H:%M" if run_s >= DAY_FROM_S else "%H:%M:%S"
    return datetime.fromtimestamp(seconds, zone).strftime(form)


def _gib(values: tuple[int | None, ...]) -> tuple[Value, ...]:
    return tuple(None if mib is None else mib / MIB for mib in values)
