"""What every node has left beside the attempts placed on it."""

from collections.abc import Collection

from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName
from eaas.lifecycle import CardState
from eaas_daemon.core.ask import ask_of
from eaas_daemon.core.closeness import ways_of
from eaas_daemon.core.fit import Room
from eaas_daemon.core.making_room import leave_out, on_node
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.parts import parts_of
from eaas_daemon.core.state import State


def rooms_of(state: State) -> dict[NodeName, Room]:
    """Return what every node has left, to be taken from while a plan is made."""
    rooms: dict[NodeName, Room] = {}
    for name, node in state.nodes.items():
        base = state.rooms.get(name)
        if base is None:
            base = state.rooms[name] = room_of(state, node)
        rooms[name] = Room(
            node=node,
            free_cards=base.free_cards.copy(),
            cpus_milli=base.cpus_milli,
            memory_mib=base.memory_mib,
            parts=base.parts.copy() if base.parts else {},
            ways=base.ways,
        )
    if state.aside.promised:
        leave_out(state, rooms)
    return rooms


def room_of(state: State, node: Node) -> Room:
    """Return what the node has left beside the attempts placed on it.

    A card is free only when its own node says so, no attempt owns it, no person excluded it, and
    it was read clean since it was last released. A card that jobs share has what they have not
    declared.
    """
    return _room_beside(state, node, state.placed.get(node.name, {}).values())


def room_without(state: State, node: Node, ended: Collection[Job]) -> Room:
    """Return what the node would have left once these have ended and their cards are clean."""
    over = {job.uid for job in ended}
    back = {card.uuid for job in ended for card in job.attempts[-1].cards}
    cards = tuple(
        replace(card, state="free")
        if card.uuid in back and card.state in (CardState.HELD, CardState.SHARED)
        else card
        for card in node.cards
    )
    jobs = state.placed.get(node.name, {}).values()
    room = _room_beside(state, replace(node, cards=cards), [j for j in jobs if j.uid not in over])
    for job in on_node(state, node.name):  # it is promised what of them it needs
        ask = ask_of(job)
        room.cpus_milli -= ask.cpus_milli
        room.memory_mib -= ask.memory_mib
        for uuid in job.promise.cards if job.promise else ():
            room.free_cards.pop(uuid, None)
    return room


def _room_beside(state: State, node: Node, jobs: Collection[Job]) -> Room:
    asks = [ask_of(job) for job in jobs]
    claims = [card for job in jobs for card in job.attempts[-1].cards]
    owned = {card.uuid for card in claims}
    free = {
        CardUuid(card.uuid): card
        for card in node.cards
        if card.state == "free"
        and card.uuid not in owned
        and card.uuid not in node.excluded
        and card.uuid not in state.cooling
    }
    return Room(
        node=node,
        free_cards=free,
        cpus_milli=round(node.inventory.cpus * 1000) - sum(ask.cpus_milli for ask in asks),
        memory_mib=node.inventory.memory_mib - sum(ask.memory_mib for ask in asks),
        parts=parts_of(node, claims, state.cooling),
        ways=ways_of(node.inventory.links),
    )
