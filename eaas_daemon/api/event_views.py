"""Lines of the journal as REST and the stream show them."""

from eaas.units import utc_text
from eaas.views import EventView
from eaas_daemon.core.changes import JournalRow


def event_view(row: JournalRow) -> EventView:
    """Return the line as a view."""
    return EventView(
        seq=row.seq,
        at=utc_text(row.at),
        kind=row.kind,
        text=row.text,
        job=row.job,
        node=row.node,
        user=row.user,
    )
