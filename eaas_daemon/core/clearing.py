"""Rooms as they will be: once what ends by itself has ended, and once others were stopped."""

from collections.abc import Collection
from copy import copy
from typing import Final

from msgspec.structs import replace

from eaas.ids import CardUuid
from eaas.lifecycle import JobState
from eaas_daemon.core.ask import amounts_of
from eaas_daemon.core.fit import Room
from eaas_daemon.core.making_room import NOTHING, passed_on, promised_cards
from eaas_daemon.core.reserve import is_coming
from eaas_daemon.core.state import State
from eaas_daemon.core.victims import Victim

SOON_S: Final = 120.0
"""Who is being stopped with no more grace than that counts as gone already."""


def without(room: Room, victims: Collection[Victim]) -> Room:
    """Return the room as it is once these have left it."""
    cards = frozenset(uuid for victim in victims for uuid in victim.cards)
    return _freed(
        room,
        cards,
        sum(victim.cpus_milli for victim in victims),
        sum(victim.memory_mib for victim in victims),
    )


def with_coming(state: State, room: Room) -> Room:
    """Return the room with all that comes free in it by itself in a moment."""
    node = room.node
    promised, passed = promised_cards(state, node.name), passed_on(state, node.name)
    cards = {
        CardUuid(card.uuid)
        for card in node.cards
        if (at := state.cooling.get(CardUuid(card.uuid))) is not None and is_coming(node, at)
        if card.uuid not in room.parts
    }
    cpus_milli = memory_mib = 0
    for job in state.placed.get(node.name, {}).values():
        if job.state is not JobState.STOPPING or job.stop is None or job.stop.grace_s > SOON_S:
            continue
        if not job.spec.share:
            cards |= {card.uuid for card in job.attempts[-1].cards}
        cpus, memory = amounts_of(job)
        other = passed.get(job.uid, NOTHING)
        cpus_milli += cpus - other.cpus_milli
        memory_mib += memory - other.memory_mib
    return _freed(room, cards - promised, cpus_milli, memory_mib)


def _freed(room: Room, cards: Collection[CardUuid], cpus_milli: int, memory_mib: int) -> Room:
    left = copy(room)
    left.free_cards = room.free_cards | {
        CardUuid(card.uuid): replace(card, state="free")
        for card in room.node.cards
        if card.uuid in cards and card.uuid not in room.node.excluded
        if card.state not in ("foreign", "sick")
    }
    left.cpus_milli += cpus_milli
    left.memory_mib += memory_mib
    left.returns = None
    return left
