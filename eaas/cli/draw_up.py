"""What people read after ``up``: what runs where, and how to go on."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eaas.cli.output import Block, Facts, Table
from eaas.cli.programs import is_here
from eaas.cli.words import many, model
from eaas.views import CardView, NodeView

if TYPE_CHECKING:
    from eaas.cli.up import Pool

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
    yield Facts(next_steps())


def next_steps() -> list[tuple[str, str | None]]:
    """Return what to do next, and what to type for it."""
    see = "mini-eaas tui" if is_here("eaas_tui") else "mini-eaas status; mini-eaas gpus"
    return [
        ("see the pool", see),
        ("run something", "mini-eaas job submit --follow --cmd 'echo hello'"),
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
