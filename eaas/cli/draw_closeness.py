"""How close a node's cards are to each other, as a small table."""

from collections.abc import Iterator, Mapping
from typing import Final

from eaas.cli.output import Block, Table
from eaas.node_views import NodeView

WORDS: Final[Mapping[str, str]] = {
    "nvlink": "NVLink",
    "board": "board",
    "bridge": "switch",
    "host": "CPU",
    "node": "NUMA",
    "system": "far",
    "unknown": "?",
}
"""In a word: joined by NVLink, on one board, behind one PCIe switch, on one CPU, in one NUMA node,
across sockets."""


def closeness(node: NodeView) -> Iterator[Block]:
    """Yield a row and a column for each card; nothing where all are equally close."""
    if len(node.links) < 2:
        return
    kinds = {pair: links.kind for links in node.links for pair in links.pairs}
    cards = sorted({index for pair in kinds for index in pair})

    def between(a: int, b: int) -> str | None:
        kind = kinds.get((min(a, b), max(a, b)))
        return None if kind is None else WORDS.get(kind, kind)

    rows = [(str(a), *(between(a, b) for b in cards)) for a in cards]
    yield Table(("CLOSE", *map(str, cards)), rows)
