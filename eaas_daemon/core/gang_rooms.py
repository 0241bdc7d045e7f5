"""Which rooms the ranks of a job on several nodes get: each one of its own, or none of them any."""

from collections.abc import Mapping, Sequence

from eaas.ids import NodeName
from eaas_daemon.core.ask import Shape
from eaas_daemon.core.choose import Cost, cost_of, open_rooms
from eaas_daemon.core.fit import Room
from eaas_daemon.core.meeting import can_lead
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State

Places = list[tuple[Job, Room]]
"""Each rank with its room, the first rank first; empty where not all of them have one."""


def best_rooms(
    state: State, ranks: Sequence[Job], shape: Shape, rooms: Mapping[NodeName, Room], now: float
) -> tuple[Places, bool]:
    """Return the rooms that the ranks should get, and whether some are only kept from them."""
    first, count = ranks[0], shape.ask.num_nodes
    fitting, free = open_rooms(state, first, shape, rooms, now)
    if len(free) < count or len(ranks) < count:
        return [], len(fitting) >= count
    pool = state.pools[first.pool]
    best = sorted(free, key=lambda room: _cost(ranks, shape, pool, room))[:count]
    return _dealt(ranks, best), False


def _cost(ranks: Sequence[Job], shape: Shape, pool: Pool, room: Room) -> Cost:
    """Return what speaks against the room for any of the ranks, all of which ask for the same."""
    costs = [cost_of(rank, shape, pool, room) for rank in ranks]
    homes = [cost.home for cost in costs]
    return costs[0]._replace(home=1 if 1 in homes else min(homes))


def _dealt(ranks: Sequence[Job], rooms: Sequence[Room]) -> Places:
    """Return each rank with one of the rooms: where it was, if it can; the first must be reachable.

    Rooms that nobody has been in are dealt in their order.
    """
    homes = [rank.attempts[-1].node if rank.attempts else None for rank in ranks]
    left = {room.node.name: room for room in rooms}
    leading = [node.name for node in can_lead([room.node for room in rooms])]
    lead = min(leading, key=lambda name: (name != homes[0], name in homes))
    found = {0: left.pop(lead)}
    for index, home in enumerate(homes):
        if index and home in left:
            found[index] = left.pop(home)
    for index in range(len(ranks)):
        if index not in found:
            found[index] = left.pop(next(iter(left)))
    return [(rank, found[index]) for index, rank in enumerate(ranks)]
