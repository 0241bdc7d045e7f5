"""What nodes and cards read just now, in frames: all nodes together for those who understand it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.units import utc_text
from eaas.wire.to_client import ManyReadings, Readings
from eaas_daemon.api.frames import ENCODER
from eaas_daemon.api.private import public_card
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State


def tell_readings(
    state: State, names: Iterable[NodeName], subscribers: Collection[Subscriber], now: float
) -> None:
    """Offer the nodes' numbers to the subscribers, each in what they may see of them."""
    nodes = [state.nodes[name] for name in names if name in state.nodes]
    full = [_readings(state, node, now) for node in nodes]
    for is_admin in (True, False):
        heard = [one for one in subscribers if (one.viewer is None) == is_admin]
        if heard and full:
            _offer(full if is_admin else list(map(_public, full)), heard)


def _offer(readings: Sequence[Readings], heard: Iterable[Subscriber]) -> None:
    one_each = [ENCODER.encode(each) for each in readings]
    together = one_each
    if len(one_each) > 1:
        copied: Any = tuple(map(msgspec.Raw, one_each))
        together = [ENCODER.encode(ManyReadings(readings=copied))]
    for subscriber in heard:
        for frame in together if subscriber.pieces else one_each:
            subscriber.offer(frame)


def _readings(state: State, node: Node, now: float) -> Readings:
    view = node_view(state, node)
    return Readings(
        at=utc_text(now),
        node=view.name,
        cpus_used=view.cpus_used,
        memory_used_mib=view.memory_used_mib,
        cards=view.cards,
    )


def _public(readings: Readings) -> Readings:
    return replace(readings, cards=tuple(map(public_card, readings.cards)))
