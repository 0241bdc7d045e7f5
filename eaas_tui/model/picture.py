"""The one picture that every screen draws: frozen, complete, cleaned for a terminal."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from eaas.booking_views import BookingView
from eaas.node_views import CardView, NodeView
from eaas.views import ConditionView, EventView, JobView, PoolView, QueueView


class Samples(msgspec.Struct, frozen=True, kw_only=True):
    """A card's last quarter of an hour, oldest first; what was not measured is None."""

    every_s: float
    utilization_pct: Sequence[int | None]
    memory_pct: Sequence[int | None]


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """How the console stands with its controller."""

    state: Literal["connecting", "live", "away", "refused", "replay"]
    since: float
    """Unix seconds."""
    text: str | None = None
    """Why it is away or refused, in a sentence."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known at one moment. Shares what did not change with the picture before."""

    seq: int
    link: Link
    user: str | None = None
    is_admin: bool = False
    conditions: tuple[ConditionView, ...] = ()
    """What is wrong with the whole."""
    pools: Mapping[str, PoolView] = MappingProxyType({})
    queues: Mapping[str, QueueView] = MappingProxyType({})
    """By ``pool/queue``."""
    nodes: Mapping[str, NodeView] = MappingProxyType({})
    """Their cards are here too, with the newest readings."""
    jobs: Mapping[int, JobView] = MappingProxyType({})
    """What has not ended, and what ended while the console looked (a few hundred at most)."""
    events: tuple[EventView, ...] = ()
    """The newest last; some hundreds at most."""
    samples: Mapping[str, Samples] = MappingProxyType({})
    """By card UUID."""
    bookings: Mapping[int, BookingView] = MappingProxyType({})

    @property
    def is_live(self) -> bool:
        """Tell whether what is shown is so now; otherwise it is old, and nothing may be done."""
        return self.link.state == "live"

    @property
    def is_stale(self) -> bool:
        """Tell whether it may not be so any more; a recording shows rightly what was."""
        return self.link.state not in ("live", "replay")

    def cards(self) -> list[CardView]:
        """Return every card, by node and index."""
        return [card for name in sorted(self.nodes) for card in self.nodes[name].cards]


def only_numbers_differ(before: Picture, now: Picture) -> bool:
    """Tell whether nothing but what is measured on nodes and cards has changed."""
    return (
        before.jobs is now.jobs
        and before.queues is now.queues
        and before.pools is now.pools
        and before.bookings is now.bookings
        and before.events is now.events
        and before.link is now.link
        and before.conditions is now.conditions
        and before.nodes.keys() == now.nodes.keys()
    )


EMPTY: Final = Picture(seq=0, link=Link(state="connecting", since=0.0))
