"""Cards as REST shows them at the same moment, one by one and counted for each pool."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from eaas.ids import NodeName
from eaas.lifecycle import CardState
from eaas.node_views import CardView
from eaas_daemon.core.model import Pool
from eaas_daemon.metrics.family import Family, gauge, info, size_bytes
from eaas_daemon.metrics.nodes import Shown

CARD: Final = ("node", "index", "uuid")


def card_families(nodes: Sequence[Shown], pools: Mapping[str, Pool]) -> Iterator[Family]:
    """Yield everything about cards."""
    cards = [card for one in nodes for card in one.view.cards]
    yield from _facts(cards)
    yield from _readings([card for one in nodes if one.speaks for card in one.view.cards])
    members = {name: [card for card in cards if _is_in(card, pools[name])] for name in pools}
    yield from _counts(members)


def _name(card: CardView) -> tuple[str, str, str]:
    return card.node, str(card.index), card.uuid


def _is_in(card: CardView, pool: Pool) -> bool:
    members = pool.members.get(NodeName(card.node), ())
    return members is None or card.uuid in members


def _facts(cards: Sequence[CardView]) -> Iterator[Family]:
    yield info(
        "card",
        "What a card is; simulated cards are made up by their agent and say so",
        [*CARD, "model", "simulated"],
        [(*_name(card), card.model, str(card.simulated).lower()) for card in cards],
    )
    yield gauge(
        "card_state",
        "1 for the state a card is in; its other states have no series",
        [*CARD, "state"],
        [((*_name(card), card.state), 1) for card in cards],
    )
    yield gauge(
        "card_memory_total",
        "Memory of the card",
        CARD,
        [(_name(card), size_bytes(card.memory_total_mib)) for card in cards],
        unit="bytes",
    )


def _readings(cards: Sequence[CardView]) -> Iterator[Family]:
    yield gauge(
        "card_utilization",
        "How busy the card is, from 0 to 1",
        CARD,
        [(_name(card), _ratio(card.utilization_pct)) for card in cards],
        unit="ratio",
    )
    yield gauge(
        "card_memory_used",
        "Memory of the card in use, whoever uses it",
        CARD,
        [(_name(card), size_bytes(card.memory_used_mib)) for card in cards],
        unit="bytes",
    )
    yield gauge(
        "card_temperature",
        "Temperature of the card",
        CARD,
        [(_name(card), card.temperature_c) for card in cards],
        unit="celsius",
    )
    yield gauge(
        "card_power",
        "Power the card draws",
        CARD,
        [(_name(card), card.power_w) for card in cards],
        unit="watts",
    )


def _ratio(percent: int | None) -> float | None:
    return None if percent is None else percent / 100


def _counts(members: Mapping[str, Sequence[CardView]]) -> Iterator[Family]:
    yield info(
        "card_pool",
        "The pools a card is in",
        [*CARD, "pool"],
        [(*_name(card), pool) for pool, cards in members.items() for card in cards],
    )
    states = {pool: Counter(card.state for card in cards) for pool, cards in members.items()}
    yield gauge(
        "cards",
        "Cards of the pool by state; one that is in two pools counts in both",
        ["pool", "state"],
        [((pool, state), count[state]) for pool, count in states.items() for state in CardState],
    )
    yield gauge(
        "cards_offered",
        "Cards of the pool that a job could be given now: free, on a node that takes work",
        ["pool"],
        [((pool,), sum(card.offered for card in cards)) for pool, cards in members.items()],
    )
