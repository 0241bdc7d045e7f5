"""Nodes as REST shows them at the same moment."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eaas.ids import NodeName
from eaas.lifecycle import NodeState
from eaas.node_views import NodeView
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State
from eaas_daemon.metrics.family import Family, gauge, info, size_bytes


class Shown(NamedTuple):
    """A node and its view."""

    node: Node
    view: NodeView

    @property
    def speaks(self) -> bool:
        """Tell whether the node is there to say how it is; old readings are not shown as new."""
        return self.node.session is not None and not self.node.offline


def shown(state: State, name: NodeName) -> Shown:
    """Return the node with its view."""
    node = state.nodes[name]
    return Shown(node, node_view(state, node))


def node_families(nodes: Sequence[Shown]) -> Iterator[Family]:
    """Yield everything about nodes but their cards."""
    yield from _what_they_are(nodes)
    yield from _what_they_have(nodes)


def _what_they_are(nodes: Sequence[Shown]) -> Iterator[Family]:
    yield gauge(
        "nodes",
        "Nodes by the state they are in",
        ["state"],
        [((state,), sum(one.view.state == state for one in nodes)) for state in NodeState],
    )
    yield info(
        "node",
        "What a node is: its agent's version and what runs its jobs",
        ["node", "version", "runtime"],
        [(one.view.name, one.view.version or "", one.view.runtime or "") for one in nodes],
    )
    yield info(
        "node_pool",
        "The pools a node is in",
        ["node", "pool"],
        [(one.view.name, pool) for one in nodes for pool in one.view.pools],
    )
    yield gauge(
        "node_up",
        "1 while the node's agent is connected",
        ["node"],
        [((one.view.name,), one.speaks) for one in nodes],
    )
    yield gauge(
        "node_last_seen_timestamp",
        "When the node was last heard of, in Unix time",
        ["node"],
        [((one.view.name,), one.node.last_seen_at) for one in nodes],
        unit="seconds",
    )
    yield gauge(
        "node_condition",
        "1 while this is wrong with the node; it takes no new work as long",
        ["node", "condition"],
        [((one.view.name, what.code), 1) for one in nodes for what in one.view.conditions],
    )


def _what_they_have(nodes: Sequence[Shown]) -> Iterator[Family]:
    labels = ["node"]
    yield gauge(
        "node_jobs",
        "Jobs that are placed on the node",
        labels,
        [((one.view.name,), len(one.view.jobs)) for one in nodes],
    )
    yield gauge(
        "node_cpus",
        "CPUs the node gives to jobs",
        labels,
        [((one.view.name,), one.view.cpus) for one in nodes],
    )
    yield gauge(
        "node_cpus_claimed",
        "CPUs that the jobs on the node have asked for",
        labels,
        [((one.view.name,), one.view.cpus_used) for one in nodes],
    )
    yield gauge(
        "node_memory_total",
        "Memory the node has",
        labels,
        [((one.view.name,), size_bytes(one.view.memory_mib)) for one in nodes],
        unit="bytes",
    )
    speaking = [one for one in nodes if one.speaks]
    yield gauge(
        "node_memory_used",
        "Memory in use on the node, whoever uses it",
        labels,
        [((one.view.name,), size_bytes(one.view.memory_used_mib)) for one in speaking],
        unit="bytes",
    )
    yield gauge(
        "node_disk_free",
        "Room on the disk of the node's workspaces",
        labels,
        [((one.view.name,), size_bytes(one.node.inventory.disk_free_mib)) for one in speaking],
        unit="bytes",
    )
