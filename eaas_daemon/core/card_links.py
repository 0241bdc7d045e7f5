"""How close a node's cards are to each other, as it is shown."""

from eaas.node_views import CardLinksView
from eaas_daemon.core.closeness import DISTANCES, FAR
from eaas_daemon.core.model import Node


def card_links(node: Node) -> tuple[CardLinksView, ...]:
    """Return the pairs of cards by the way they are joined, the closest first."""
    index = {card.uuid: card.index for card in node.cards}
    pairs: dict[str, list[tuple[int, int]]] = {}
    for link in node.inventory.links:
        a, b = index.get(link.a), index.get(link.b)
        if a is not None and b is not None:
            pairs.setdefault(link.kind, []).append((min(a, b), max(a, b)))
    kinds = sorted(pairs, key=lambda kind: (DISTANCES.get(kind, FAR + 1), kind))
    return tuple(CardLinksView(kind=kind, pairs=tuple(sorted(pairs[kind]))) for kind in kinds)
