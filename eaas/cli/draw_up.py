"""What people read after ``up``: what runs where, and how to go on."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from eaas.cli.output import Block, Facts, Table
from eaas.cli.words import many, model
from eaas.node_views import CardView, NodeView

if TYPE_CHECKING:
    from eaas.cli.up import Pool

HELLO_IMAGE = "mini-eaas/hello:1"
"""An image that every agent with a container engine has."""

PROCESS_WARNING = "plain processes (no containers: nothing isolates them)"


def up_picture(pool: "Pool") -> Iterable[Block]:
    """Yield what runs, each node with its runtime and cards, and three next steps."""
    status = pool.controller
    address = f" and {status.address}" if status.address else ""
    yield Facts(
        [
            ("controller", f"{pool.socket}{address}"),
            ("logs", pool.logs),
            ("started now", ", ".join(pool.started) or "nothing; all of it ran already"),
        ]
    )
    yield Table(
        ("NODE", "STATE", "POOLS", "JOBS RUN AS", "CARDS"),
        [
            (node.name, node.state, ", ".join(node.pools), runs_as(node), card_words(node.cards))
            for node in pool.nodes
        ],
    )
    yield Facts(next_steps(pool.nodes))


def next_steps(nodes: Sequence[NodeView]) -> list[tuple[str, str | None]]:
    """Return what to do next, and what to type for it: jobs that these nodes can run."""
    in_containers = any("default" in node.pools and node.runtime == "docker" for node in nodes)
    image = f"--image {HELLO_IMAGE} " if in_containers else ""
    demo = "mini-eaas job submit --pool demo --gpus 1 --follow --cmd 'echo $EAAS_CARDS'"
    see = "mini-eaas tui"
    return [
        ("see the pool", see),
        ("run something", f"mini-eaas job submit {image}--follow --cmd 'echo hello'"),
        ("with a demo card", demo if any("demo" in node.pools for node in nodes) else None),
        ("stop the pool", "mini-eaas down"),
    ]


def runs_as(node: NodeView) -> str:
    """Return how the node runs jobs, in words."""
    if node.runtime == "docker":
        return f"containers ({node.engine})" if node.engine else "containers"
    return PROCESS_WARNING if node.runtime == "process" else "unknown"


def card_words(cards: Iterable[CardView]) -> str:
    """Return a node's cards by model: ``2 x RTX 3090``, simulated ones called so."""
    counts: dict[str, int] = {}
    for card in cards:
        name = model(card)
        counts[name] = counts.get(name, 0) + 1
    listed = ", ".join(f"{count} x {name}" for name, count in counts.items())
    return listed or many(0, "card")
