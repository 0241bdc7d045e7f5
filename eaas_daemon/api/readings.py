"""What nodes and cards read just now, in frames: all nodes together for those who understand it,
and numbers alone for those who know the rest already.
"""

from collections.abc import Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.node_views import CardView
from eaas.units import utc_text
from eaas.wire.to_client import CardNumbers, ManyReadings, NodeNumbers, Readings
from eaas_daemon.api.frames import ENCODER
from eaas_daemon.api.private import public_card
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State

NUMBERS: Final = CardNumbers.__struct_fields__
TEXTS: Final = tuple(
    name for name in CardView.__struct_fields__ if name not in {*NUMBERS, "sampled_at"}
)
numbers_of: Final = attrgetter(*NUMBERS)
texts_of: Final = attrgetter(*TEXTS)


class Reporter:
    """Tells readings, and remembers what it told beside the numbers.

    Whoever sends a node by another way says so here: then it is told whole once more. So whoever
    follows has always heard last what the numbers that come alone belong to.
    """

    def __init__(self) -> None:
        self._told: dict[str, list[tuple[Any, ...]]] = {}

    def forget(self, names: Iterable[NodeName] | None = None) -> None:
        """Tell these nodes whole the next time; without names all of them."""
        if names is None:
            self._told.clear()
            return
        for name in names:
            self._told.pop(name, None)

    def tell(
        self,
        state: State,
        names: Iterable[NodeName],
        subscribers: Collection[Subscriber],
        now: float,
    ) -> None:
        """Offer the nodes' numbers to the subscribers, each in what they may see of them."""
        nodes = [state.nodes[name] for name in names if name in state.nodes]
        full = [_readings(state, node, now) for node in nodes]
        if not full:
            return
        if short := [one for one in subscribers if one.numbers]:
            numbers, others = self._short(full)
            _offer_short(numbers, others, short)
        if long := [one for one in subscribers if not one.numbers]:
            _offer(full, long)

    def _short(self, full: Sequence[Readings]) -> tuple[tuple[NodeNumbers, ...], list[Readings]]:
        """Return the numbers of those nodes of which nothing else is new, and the other nodes."""
        numbers, others = [], []
        for readings in full:
            texts = list(map(texts_of, readings.cards))
            known, self._told[readings.node] = self._told.get(readings.node), texts
            times = {card.sampled_at for card in readings.cards}
            if known == texts and len(times) <= 1:
                numbers.append(_numbers(readings, next(iter(times), None)))
            else:
                others.append(readings)
        return tuple(numbers), others


def _offer_short(
    numbers: tuple[NodeNumbers, ...], others: Sequence[Readings], heard: Sequence[Subscriber]
) -> None:
    """Offer one frame; without whole nodes it is the same for everybody."""
    for is_admin in (True, False):
        if group := [one for one in heard if (one.viewer is None) == is_admin]:
            whole = tuple(others if is_admin else map(_public, others))
            frame = ENCODER.encode(ManyReadings(readings=whole, numbers=numbers))
            for subscriber in group:
                subscriber.offer(frame)


def _offer(full: Sequence[Readings], heard: Sequence[Subscriber]) -> None:
    """Offer a frame for each node, or all together."""
    for is_admin in (True, False):
        group = [one for one in heard if (one.viewer is None) == is_admin]
        if not group:
            continue
        one_each = [ENCODER.encode(one if is_admin else _public(one)) for one in full]
        together = one_each
        if len(one_each) > 1:
            copied: Any = tuple(map(msgspec.Raw, one_each))
            together = [ENCODER.encode(ManyReadings(readings=copied))]
        for subscriber in group:
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


def _numbers(readings: Readings, sampled_at: str | None) -> NodeNumbers:
    return NodeNumbers(
        node=readings.node,
        sampled_at=sampled_at,
        cpus_used=readings.cpus_used,
        memory_used_mib=readings.memory_used_mib,
        cards=tuple(CardNumbers(*numbers_of(card)) for card in readings.cards),
    )


def _public(readings: Readings) -> Readings:
    return replace(readings, cards=tuple(map(public_card, readings.cards)))
