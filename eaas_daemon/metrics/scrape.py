"""Writes a moment down for Prometheus, in the format it asks for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from eaas_daemon.metrics.bookings import booking_families
from eaas_daemon.metrics.cards import card_families
from eaas_daemon.metrics.controller import controller_families
from eaas_daemon.metrics.exposition import encode
from eaas_daemon.metrics.family import Family
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.nodes import Shown, node_families, shown
from eaas_daemon.metrics.queues import queue_families

OPENMETRICS: Final = "application/openmetrics-text"
NODES_A_PIECE: Final = 8


class Format(NamedTuple):
    """What a scraper reads."""

    content_type: str
    openmetrics: bool
    write_live: Callable[[Collector], bytes]
    """Writes what was counted, and whatever ends the answer."""


def format_for(accept: str | None) -> Format:
    """Return the format that the ``Accept`` header prefers.

    OpenMetrics when it is named there, else the text format that every scraper reads.
    """
    write_live, asked_type = choose_encoder(accept or "")
    if asked_type.startswith(OPENMETRICS):
        return Format(CONTENT_TYPE_LATEST, True, write_live)
    return Format(CONTENT_TYPE_PLAIN_0_0_4, False, write_live)


def pieces(moment: Moment, live: Collector, form: Format) -> Iterator[bytes]:
    """Yield the scrape bit by bit, some of them empty: each is a few milliseconds' work at most."""
    nodes: list[Shown] = []
    for node in sorted(moment.state.nodes):
        nodes.append(shown(moment.state, node))
        if len(nodes) % NODES_A_PIECE == 0:
            yield b""
    for family in families(moment, nodes):
        yield encode([family], openmetrics=form.openmetrics).encode()
    yield form.write_live(live)


def families(moment: Moment, nodes: Sequence[Shown]) -> Iterator[Family]:
    """Yield everything that is read from the state."""
    pools = {str(name): pool for name, pool in sorted(moment.state.pools.items())}
    yield from controller_families(moment)
    yield from card_families(nodes, pools)
    yield from node_families(nodes)
    yield from queue_families(moment.state, moment.now)
    yield from booking_families(moment.state, moment.now)
