"""Writes a moment down for Prometheus, in the format it asks for."""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from eaas_daemon.metrics.cards import card_families
from eaas_daemon.metrics.controller import controller_families
from eaas_daemon.metrics.exposition import encode
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.nodes import node_families, shown_nodes
from eaas_daemon.metrics.queues import queue_families

OPENMETRICS: Final = "application/openmetrics-text"


class Written(NamedTuple):
    """A scrape's answer."""

    body: bytes
    content_type: str


class MomentCollector(Collector):
    """Reads one moment; good for one scrape."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment

    def collect(self) -> Iterator[Metric]:
        """Yield every family that is read from the state."""
        moment = self._moment
        nodes = shown_nodes(moment.state)
        pools = {str(name): pool for name, pool in sorted(moment.state.pools.items())}
        yield from controller_families(moment)
        yield from card_families(nodes, pools)
        yield from node_families(nodes)
        yield from queue_families(moment.state, moment.now)


def write(moment: Moment, live: Collector, accept: str | None) -> Written:
    """Return the scrape in the format that the ``Accept`` header prefers. Needs no event loop.

    OpenMetrics when it is named there, else the text format that every scraper reads.
    """
    _, asked_type = choose_encoder(accept or "")
    openmetrics = asked_type.startswith(OPENMETRICS)
    body = encode(chain(MomentCollector(moment).collect(), live.collect()), openmetrics=openmetrics)
    return Written(body, CONTENT_TYPE_LATEST if openmetrics else CONTENT_TYPE_PLAIN_0_0_4)
