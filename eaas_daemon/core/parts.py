"""Cards that jobs share by declared memory: what each has left, and who may join.

What jobs declare together never exceeds what the card's own node lets them share: all of its memory
less what the driver takes and a reserve. Nothing enforces what a job declared; where more is in use
the node says so, and that much less is given to the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from eaas import reasons as r
from eaas.ids import CardUuid
from eaas.job_spec import JobSpec
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.model import HeldCard, Node, nominal_mib

AWAITED = "a job has left it, and it has not been read since"


class Part(NamedTuple):
    """What a card that jobs share has left for more of them."""

    card: CardReport
    left_mib: int
    """Below 0 where more is in use than was declared."""
    sharers: int
    at_most: int
    """So many jobs may share it."""
    is_fit: bool
    """Whether its node and its people would let another job join."""
    is_read: bool
    """Whether it was read since the last job left; until then nobody joins."""

    def takes(self, memory_mib: int) -> bool:
        """Tell whether a job may join now that declares that much."""
        is_open = self.is_fit and self.is_read and self.sharers < self.at_most
        return is_open and memory_mib <= self.left_mib

    def after(self, memory_mib: int, jobs: int) -> "Part":
        """Return it with that much less memory left and that many more jobs on it."""
        return self._replace(left_mib=self.left_mib - memory_mib, sharers=self.sharers + jobs)


Parts = dict[CardUuid, Part]


def holds_share(card: CardReport, memory_mib: int | None) -> bool:
    """Tell whether the card could be shared by a job that declares that much."""
    return card.share_mib is not None and (memory_mib or 0) <= card.share_mib


def claim_on(card: CardReport, spec: JobSpec) -> HeldCard:
    """Return the claim on the card that an attempt of such a job gets."""
    uuid = CardUuid(card.uuid)
    if not spec.share:
        return HeldCard(uuid=uuid, index=card.index)
    return HeldCard(
        uuid=uuid, index=card.index, memory_mib=spec.gpu_memory_mib, of_mib=card.share_mib
    )


def parts_of(node: Node, claims: Iterable[HeldCard], cooling: Mapping[CardUuid, float]) -> Parts:
    """Return the node's cards on which these claims are shares."""
    shares: dict[str, list[int]] = {}
    for held in claims:
        if held.memory_mib is not None:
            shares.setdefault(held.uuid, []).append(held.memory_mib)
    if not shares:
        return {}
    return {
        CardUuid(card.uuid): Part(
            card=card,
            left_mib=(card.share_mib or 0) - sum(shares[card.uuid]) - card.over_mib,
            sharers=len(shares[card.uuid]),
            at_most=node.inventory.max_sharers,
            is_fit=card.state in ("free", "held") and card.uuid not in node.excluded,
            is_read=card.uuid not in cooling,
        )
        for card in node.cards
        if card.uuid in shares
    }


def joinable(parts: Parts, cards: Iterable[CardReport], memory_mib: int) -> list[CardReport]:
    """Return those of the cards that such a job could join now, the fullest first."""
    found = [card for card in cards if parts[CardUuid(card.uuid)].takes(memory_mib)]
    return sorted(found, key=lambda card: (parts[CardUuid(card.uuid)].left_mib, card.index))


def give(
    parts: Parts, free: dict[CardUuid, CardReport], card: CardReport, share_mib: int, at_most: int
) -> None:
    """Take the share out of what the card has left; a free card is a shared one from then on."""
    uuid = CardUuid(card.uuid)
    if (part := parts.get(uuid)) is None:
        del free[uuid]
        part = Part(card, card.share_mib or 0, 0, at_most, is_fit=True, is_read=True)
    parts[uuid] = part.after(share_mib, 1)


def never_shared(
    node: Node, right: Sequence[CardReport], memory_mib: int
) -> r.CardsNotShared | r.ShareTooLarge | None:
    """Return why no card of the right kind could ever be shared by such a job, or None."""
    sizes = [card.share_mib for card in right if card.share_mib is not None]
    if not sizes:
        return r.CardsNotShared(node=node.name)
    if max(sizes) < memory_mib:
        return r.ShareTooLarge(node=node.name, asked=memory_mib, available=max(sizes))
    return None


def none_left(
    node: Node, parts: Parts, suiting: Iterable[CardReport], memory_mib: int
) -> r.NodeReason | None:
    """Return what keeps a share from joining on the shared card that has the most left; None where
    none of these cards is shared.
    """
    shared = [parts[CardUuid(card.uuid)] for card in suiting if card.uuid in parts]
    if not shared:
        return None
    best = max(shared, key=lambda part: (part.is_fit, part.left_mib, -part.card.index))
    index = best.card.index
    if not best.is_fit:
        return None
    if best.left_mib >= memory_mib and best.sharers >= best.at_most:
        return r.CardFullOfJobs(node=node.name, card=index, asked=1, available=0, jobs=best.sharers)
    if best.left_mib >= memory_mib:
        return r.CardDirty(node=node.name, card=index, text=AWAITED, asked=1, available=0)
    return r.TooLittleCardMemory(
        node=node.name,
        card=index,
        asked=memory_mib,
        available=max(0, best.left_mib),
        of=nominal_mib(best.card.memory_total_mib) or 0,
        jobs=best.sharers,
    )
