"""A whole run of a job as curves: every card's utilisation and memory, from its start on."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from eaas.node_views import CardView
from eaas.sample_views import CardRunView, JobSamplesView
from eaas.views import AttemptView
from eaas_tui.model.card_curves import card_name, load_now, memory_now
from eaas_tui.model.curve_points import Curve, Value
from eaas_tui.model.format import duration, unix

DAY_FROM_S: Final = 20 * 3600.0
"""A run this long says the day, too."""
MIB: Final = 1024


def run_curves(
    view: JobSamplesView,
    attempt: AttemptView,
    zone: tzinfo | None = None,
    *,
    cards: Mapping[str, CardView] = MappingProxyType({}),
) -> list[Curve]:
    """Return two curves a card; times of day in that zone or else the machine's.

    ``cards`` are their newest readings, by UUID: what a live attempt's cards do now.
    """
    is_live = attempt.finished_at is None
    run_s = run_length_s(view)
    since = moment(view.begin_at, run_s, zone)
    until = "now" if is_live else moment(attempt.finished_at, run_s, zone)
    now = cards if is_live else {}
    return [
        replace(curve, since=since, until=until, is_whole=True, is_live=is_live, now=value)
        for card in view.cards
        for curve, value in (
            (_load(card, view.every_s), load_now(now.get(card.uuid))),
            (_memory(card, view.every_s), memory_now(now.get(card.uuid))),
        )
    ]


def _load(card: CardRunView, every_s: float) -> Curve:
    name = card_name(card.uuid, card.index)
    return Curve(
        title=f"{name} utilisation",
        short=f"{name} util",
        unit="%",
        top=100.0,
        values=card.utilization_pct,
        peaks=card.utilization_max_pct,
        every_s=every_s,
    )


def _memory(card: CardRunView, every_s: float) -> Curve:
    name = card_name(card.uuid, card.index)
    peaks = _gib(card.memory_used_max_mib)
    known = [peak for peak in peaks if peak is not None]
    return Curve(
        title=f"{name} memory",
        short=f"{name} mem",
        unit="GiB",
        top=card.memory_total_mib / MIB if card.memory_total_mib else max(known, default=1.0),
        values=_gib(card.memory_used_mib),
        peaks=peaks,
        every_s=every_s,
    )


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
