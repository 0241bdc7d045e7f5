"""What happened, as rows: when, what kind, and the sentence."""

from typing import Final

from eaas.views import EventView
from eaas_tui.model.columns import Cell, Column, Row, Tone
from eaas_tui.model.format import clock_time
from eaas_tui.model.picture import Picture
from eaas_tui.model.viewport import Rows

COLUMNS: Final = (
    Column(key="at", title="EVENTS", width=8),
    Column(key="kind", title="", width=16, rank=2),
    Column(key="text", title="", width=30, min_width=4, flex=1),
)

_BAD: Final = frozenset(
    {
        "job.failed",
        "job.timedout",
        "job.unknown",
        "node.offline",
        "node.refused",
        "node.engine_hung",
        "node.unkillable",
        "node.twin",
        "node.revoked",
        "log.dropped",
    }
)
_WARN: Final = frozenset(
    {"job.cancelled", "job.stopping", "job.requeued", "job.preempted",
     "job.interrupted", "card.sick", "card.dirty", "card.foreign",
     "card.excluded", "node.draining", "node.confirmed_dead", "node.disk_full", "node.flapping",
     "node.clock_skew"}
)  # fmt: skip
_GOOD: Final = frozenset({"job.succeeded", "node.joined", "node.back", "node.recovered"})
_BUSY: Final = frozenset({"job.running", "job.placed"})


def event_rows(picture: Picture) -> Rows[int]:
    """Return the events, the newest last, by their sequence numbers."""
    by_seq = {event.seq: event for event in picture.events}
    return Rows(list(by_seq), lambda seq: event_row(by_seq[seq]))


def event_row(event: EventView) -> Row:
    """Return one event's row; who did it stands in its text."""
    tone = event_tone(event.kind)
    return Row((Cell(clock_time(event.at), "muted"), Cell(event.kind, tone), event.text))


def event_tone(kind: str) -> Tone:
    """Return how an event is meant, by its kind."""
    for kinds, tone in _TONES:
        if kind in kinds:
            return tone
    return "muted"


_TONES: Final[tuple[tuple[frozenset[str], Tone], ...]] = (
    (_BAD, "bad"),
    (_WARN, "warn"),
    (_GOOD, "good"),
    (_BUSY, "busy"),
)
