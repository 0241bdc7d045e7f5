"""What a screen asks of the app around it: to show a job, node or queue, its signs, its clock."""

import time
from collections.abc import Callable
from typing import Protocol, cast

from eaas_tui.glyphs import BLOCKS, Glyphs
from eaas_tui.model.picture import Picture


class Opening(Protocol):
    """What the console's app can show."""

    def open_job(self, id: int, tab: str = "Overview") -> None:
        """Open a job above what is shown, at one of its tabs."""

    def open_node(self, name: str | None = None) -> None:
        """Open a node above what is shown."""

    def open_queue(self, ref: str) -> None:
        """Open a queue above what is shown, by its ``pool/queue``."""


def opening_of(app: object) -> Opening:
    """Return the app as what opens things."""
    return cast(Opening, app)


def glyphs_of(app: object) -> Glyphs:
    """Return the signs that the app draws with; the usual ones of an app that has none."""
    return cast(Glyphs, getattr(app, "glyphs", BLOCKS))


def clock_of(app: object) -> Callable[[], float]:
    """Return the app's clock: Unix seconds, in a replay those of the recording."""
    return cast(Callable[[], float], getattr(app, "clock", time.time))


def open_event(app: object, picture: Picture, seq: int) -> None:
    """Open what an event is about, its job before its node; nothing when that is gone."""
    event = next((event for event in picture.events if event.seq == seq), None)
    if event is not None and event.job is not None:
        opening_of(app).open_job(event.job)
    elif event is not None and event.node in picture.nodes:
        opening_of(app).open_node(event.node)
