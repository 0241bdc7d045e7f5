"""Whether a node can take an ask, and if not, why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from eaas import reasons as r
from eaas.gang_reasons import NoRanks
from eaas.ids import CardUuid
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Ask
from eaas_daemon.core.booked import Booked
from eaas_daemon.core.closeness import Ways
from eaas_daemon.core.model import Node, Pool, Reservation, nominal_mib
from eaas_daemon.core.mounted import never_mounted, unmounted
from eaas_daemon.core.parts import Parts, holds_share, joinable, never_shared, none_left

Spare = tuple[int, int]
"""MiB of a card and jobs on it."""


class Kept(msgspec.Struct, kw_only=True):
    """What of a room is kept for one job. The amounts are what is left for others beside it."""

    reservation: Reservation
    cards: frozenset[CardUuid]
    """Free and shared ones that only those may have who are gone in time."""
    cpus_milli: int
    memory_mib: int
    spare: dict[CardUuid, Spare] = {}
    """What of a card that is kept in part others may share all the same."""


class Back(NamedTuple):
    """A share of a card that comes back."""

    card: CardUuid
    memory_mib: int
    jobs: int
    """0 for a card that is only read again."""


class Return(NamedTuple):
    """What a node gets back at some moment (Unix seconds; infinite: nobody knows)."""

    at: float
    cpus_milli: int
    memory_mib: int
    cards: tuple[CardUuid, ...]
    shares: tuple[Back, ...] = ()


class Room(msgspec.Struct, kw_only=True):
    """What one node has left, while a plan is made. With ``Kept`` the core's only mutable value."""

    node: Node
    free_cards: dict[CardUuid, CardReport]
    cpus_milli: int
    memory_mib: int
    kept: Kept | None = None
    taken: list[Return] = []
    """What was given away while the plan was made."""
    returns: list[Return] | None = None
    """All that comes back to it, the first thing first; None until somebody asks."""
    booked: Booked | None = None
    """What of it is booked; None where nothing is."""
    parts: Parts = {}
    """The cards that jobs share."""
    ways: Ways | None = None
    """How far its cards are from each other; None where all are equally far."""


def cards_in(node: Node, pool: Pool) -> list[CardReport]:
    """Return the node's cards that belong to the pool."""
    members = pool.members.get(node.name, ())
    return [card for card in node.cards if members is None or card.uuid in members]


def matches_model(card: CardReport, node: Node, gpu_type: str | None) -> bool:
    """Tell whether the card, or a label of its node, is what the job named."""
    if gpu_type is None or gpu_type in card.model.lower():
        return True
    return any(gpu_type in f"{key}={value}".lower() for key, value in node.all_labels.items())


def is_large_enough(card: CardReport, gpu_memory_mib: int | None) -> bool:
    """Tell whether a whole card holds that much. A size nobody knows does not."""
    if gpu_memory_mib is None:
        return True
    size = nominal_mib(card.memory_total_mib)
    return size is not None and size >= gpu_memory_mib


def suits(card: CardReport, node: Node, ask: Ask) -> bool:
    """Tell whether the card is of the kind and the size that the job wants."""
    if ask.share:
        is_kind = matches_model(card, node, ask.gpu_type)
        return is_kind and holds_share(card, ask.gpu_memory_mib)
    return matches_model(card, node, ask.gpu_type) and is_large_enough(card, ask.gpu_memory_mib)


def never(node: Node, ask: Ask, pool: Pool) -> r.NodeReason | None:
    """Return the first reason why this node could not take the ask even when idle, or None."""
    return next(every_never(node, ask, pool), None)


def every_never(node: Node, ask: Ask, pool: Pool) -> Iterator[r.NodeReason]:
    """Yield all that keeps this node from the ask even when idle; only that it is not named if so.

    A person who is told one thing at a time mends it and is refused for the next.
    """
    name = node.name
    if ask.nodes and name not in ask.nodes:
        yield r.NodeNotAsked(node=name)
        return
    if ask.needs_image and node.inventory.runtime == "process":
        yield r.RuntimeCannotRunImages(node=name)
    if not ask.needs_image and node.inventory.runtime == "docker":
        yield r.RuntimeNeedsAnImage(node=name)
    if not ask.needs_image and _is_stranger(node, ask.user):
        yield r.NoAccount(node=name, user=ask.user)
    if ask.num_nodes > 1 and node.inventory.no_ranks is not None:
        yield NoRanks(node=name, text=node.inventory.no_ranks)
    yield from never_mounted(node, ask)
    if (cards := _never_cards(node, ask, pool)) is not None:
        yield cards
    yield from _never_room(node, ask)


def _is_stranger(node: Node, user: str) -> bool:
    """Tell whether the node is sure that it can't run a plain process as this user.

    A bare number stands for an account without a name, which only the node's agent can judge; root
    has one.
    """
    people = node.inventory.people
    is_number = user.isascii() and user.isdigit() and int(user) != 0
    return people is not None and user not in people and not is_number


def _never_cards(node: Node, ask: Ask, pool: Pool) -> r.NodeReason | None:
    if ask.gpus == 0:
        return None
    cards = cards_in(node, pool)
    right = [card for card in cards if matches_model(card, node, ask.gpu_type)]
    if cards and not right:
        models = ", ".join(sorted({card.model for card in cards}))
        return r.WrongModel(node=node.name, asked=ask.gpu_type or "", available=models)
    if ask.share and right:
        return never_shared(node, right, ask.gpu_memory_mib or 0)
    large = [card for card in right if is_large_enough(card, ask.gpu_memory_mib)]
    if right and not large:
        sizes = [nominal_mib(card.memory_total_mib) or 0 for card in right]
        return r.CardsTooSmall(node=node.name, asked=ask.gpu_memory_mib or 0, available=max(sizes))
    if len(large) < ask.gpus:
        return r.TooFewCards(node=node.name, asked=ask.gpus, available=len(large))
    return None


def _never_room(node: Node, ask: Ask) -> Iterator[r.NodeReason]:
    inventory = node.inventory
    if ask.cpus_milli > round(inventory.cpus * 1000):
        yield r.TooFewCpus(node=node.name, asked=ask.cpus_milli / 1000, available=inventory.cpus)
    if ask.memory_mib > inventory.memory_mib:
        yield r.TooSmallMemory(node=node.name, asked=ask.memory_mib, available=inventory.memory_mib)


def unfit(node: Node, since_text: str | None) -> r.NodeReason | None:
    """Return why the node takes no work at all now, or None if it does."""
    if node.needs_upgrade is not None:
        return r.NodeFaulty(node=node.name, text=node.needs_upgrade)
    if node.offline or node.session is None:
        return r.NodeOffline(node=node.name, since=since_text)
    if node.draining:
        return r.NodeDraining(node=node.name)
    if node.twin is not None:
        return r.NodeFaulty(node=node.name, text=node.twin.text)
    if node.inventory.faults:
        return r.NodeFaulty(node=node.name, text=node.inventory.faults[0][1])
    return None


def usable(room: Room, ask: Ask, pool: Pool) -> list[CardReport]:
    """Return the cards of the room that the ask could be given, the best first.

    Those are free ones, the smallest first; for a share before them what is shared already, the
    fullest first.
    """
    members = pool.members.get(room.node.name, ())
    cards = [
        card
        for card in room.free_cards.values()
        if (members is None or card.uuid in members) and suits(card, room.node, ask)
    ]
    free = sorted(cards, key=lambda card: (card.memory_total_mib or 0, card.index))
    if not ask.share or not room.parts:
        return free
    shared = shared_cards(room, ask, pool)
    return [*joinable(room.parts, shared, ask.gpu_memory_mib or 0), *free]


def shared_cards(room: Room, ask: Ask, pool: Pool) -> list[CardReport]:
    """Return the cards that jobs share now and that suit the ask, full or not."""
    members, node = pool.members.get(room.node.name, ()), room.node
    return [
        part.card
        for uuid, part in room.parts.items()
        if (members is None or uuid in members)
        and uuid not in node.excluded
        and suits(part.card, node, ask)
    ]


def refusal(room: Room, ask: Ask, pool: Pool, since_text: str | None = None) -> r.NodeReason | None:
    """Return the first reason this node can't take the ask now, or None if it can."""
    node = room.node
    reason = never(node, ask, pool) or unfit(node, since_text)
    if reason is None:
        reason = unmounted(node, ask)
    if reason is not None:
        return reason
    if ask.gpus:
        cards = usable(room, ask, pool)
        if len(cards) < ask.gpus:
            return _card_reason(room, ask, pool, len(cards))
    if ask.cpus_milli > room.cpus_milli:
        return r.TooLittleCpu(
            node=node.name, asked=ask.cpus_milli / 1000, available=room.cpus_milli / 1000
        )
    if ask.memory_mib > room.memory_mib:
        return r.TooLittleMemory(node=node.name, asked=ask.memory_mib, available=room.memory_mib)
    return None


_CARD_REASONS: Mapping[str, type[r.CardForeign | r.CardDirty | r.CardSick]] = {
    "foreign": r.CardForeign,
    "dirty": r.CardDirty,
    "sick": r.CardSick,
    "unknown": r.CardSick,
}


def _card_reason(room: Room, ask: Ask, pool: Pool, free: int) -> r.NodeReason:
    """Name the card that is in the way for a reason of its own, else only count."""
    node = room.node
    if ask.share and room.parts:
        shared = shared_cards(room, ask, pool)
        reason = none_left(node, room.parts, shared, ask.gpu_memory_mib or 0)
        if reason is not None:
            return reason
    for card in _suitable(node, ask, pool):
        counts: dict[str, Any] = {"node": node.name, "asked": ask.gpus, "available": free}
        if card.uuid in node.excluded:
            return r.CardExcluded(card=card.index, **counts)
        kind = _CARD_REASONS.get(card.state)
        if kind is not None:
            return kind(card=card.index, text=card.text or card.state, **counts)
    return r.TooFewFreeCards(node=node.name, asked=ask.gpus, available=free)


def _suitable(node: Node, ask: Ask, pool: Pool) -> Sequence[CardReport]:
    return [card for card in cards_in(node, pool) if suits(card, node, ask)]
