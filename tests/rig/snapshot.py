"""Everything a state says, as plain values that can be compared."""

from typing import Any

from msgspec.structs import replace

from eaas_daemon.core.line import Order
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State


def snapshot(state: State) -> dict[str, Any]:
    """Return all that a step may change and a store may have to give back."""
    return {
        "jobs": dict(state.jobs),
        "numbers": dict(state.numbers),
        "nodes": dict(state.nodes),
        "pools": dict(state.pools),
        "queues": dict(state.queues),
        "spools": dict(state.spools),
        "keys": dict(state.keys),
        "credentials": dict(state.credentials),
        "cooling": dict(state.cooling),
        "aside": {uid: state.jobs[uid].waits_for for uid in state.aside},
        "delayed": dict(state.aside.delayed),
        "line": {name: list(state.line.in_order(name, state.order)) for name in state.pools},
        "waiting": {ref: state.waiting(ref) for ref in state.queues},
        "placed": {node: dict(jobs) for node, jobs in state.placed.items() if jobs},
        "held": dict(state.held),
        "used": {key: used.thousandths for key, used in state.usage.items() if used.thousandths},
        "passing": (
            dict(state.standing),
            dict(state.reservations),
            dict(state.passed),
            dict(state.orphans),
            state.mass_loss,
            state.last_tick_at,
        ),
        "runs": dict(state.runs),
        "bookings": dict(state.bookings),
        "counters": (state.epoch, state.next_number, state.seq, state.next_booking),
    }


def durable(state: State) -> dict[str, Any]:
    """Return what must be the same after the controller was killed and started again."""
    kept = snapshot(state)
    del kept["keys"], kept["cooling"], kept["passing"]
    del kept["runs"]  # the store forgets a run when its job is tried again
    order = Order(state.queues, {})  # how users stand moves with every second
    kept["line"] = {name: list(state.line.in_order(name, order)) for name in state.pools}
    kept["nodes"] = {name: _durable_node(node) for name, node in state.nodes.items()}
    return kept


def _durable_node(node: Node) -> Node:
    return replace(
        node,
        session=None,
        last_seen_at=None,
        memory_used_mib=None,
        cards=node.inventory.cards,
        sampled_at=None,
    )
