"""What comes back to a room in which cards are shared, and which cards an ask could have by then.

A whole card comes back when the last job that shares it has ended, a share with its memory.
"""

from collections.abc import Iterable, Iterator

from eaas.ids import CardUuid
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import Ask
from eaas_daemon.core.fit import Back, Kept, Return, Room, Spare, cards_in, shared_cards, suits
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.parts import Part


def shares_back(job: Job) -> tuple[Back, ...]:
    """Return the shares that the end of the placed job gives back."""
    return tuple(
        Back(card.uuid, card.memory_mib, 1)
        for card in job.attempts[-1].cards
        if card.memory_mib is not None
    )


def whole_again(room: Room, returns: list[Return]) -> list[Return]:
    """Return what comes back, in order, with each shared card as a whole behind its last job."""
    left = {uuid: part.sharers for uuid, part in room.parts.items()}
    told: list[Return] = []
    for back in returns:
        whole: list[CardUuid] = []
        for share in back.shares:
            if share.card in left and share.jobs:
                left[share.card] -= share.jobs
                whole += [share.card] if left[share.card] == 0 else []
        told.append(back._replace(cards=(*back.cards, *whole)) if whole else back)
    return told


class Coming:
    """Follows what comes back to a room, one thing after the other."""

    def __init__(self, room: Room, ask: Ask, pool: Pool) -> None:
        self._room = room
        self._ask = ask
        self._pool = pool
        self._parts: dict[CardUuid, Part] = {}
        if ask.share and room.parts:
            self._parts = {
                CardUuid(card.uuid): room.parts[CardUuid(card.uuid)]
                for card in shared_cards(room, ask, pool)
            }

    def take(self, back: Return) -> list[CardReport]:
        """Return the cards that the ask could be given once this is back, too."""
        found = self._suiting(back.cards) if back.cards else []
        for share in back.shares if self._parts else ():
            part = self._parts.get(share.card)
            if part is None:
                continue
            part = part.after(-share.memory_mib, -share.jobs)._replace(is_read=True)
            self._parts[share.card] = part
            if part.takes(self._ask.gpu_memory_mib or 0) and part.card not in found:
                found.append(part.card)
        return found

    def spare(self, card: CardReport) -> Spare:
        """Return what others may share of the card beside a share that is kept of it."""
        part = self._parts.get(CardUuid(card.uuid))
        if part is None:
            at_most = self._room.node.inventory.max_sharers
            part = Part(card, card.share_mib or 0, 0, at_most, is_fit=True, is_read=True)
        left_mib = part.left_mib - (self._ask.gpu_memory_mib or 0)
        return max(0, left_mib), max(0, part.at_most - part.sharers - 1)

    def _suiting(self, uuids: tuple[CardUuid, ...]) -> list[CardReport]:
        return [
            card
            for card in cards_in(self._room.node, self._pool)
            if card.uuid in uuids
            and card.uuid not in self._room.node.excluded
            and suits(card, self._room.node, self._ask)
        ]


def emptiest(room: Room, ask: Ask, pool: Pool, beside: Iterable[CardReport]) -> list[CardReport]:
    """Return the shared cards that suit the ask, those first that will be there soonest.

    For a share that is the one with the most left, for a whole card the one with the fewest jobs.
    """
    others = {card.uuid for card in beside}
    cards = [card for card in shared_cards(room, ask, pool) if card.uuid not in others]

    def distance(card: CardReport) -> tuple[int, int]:
        part = room.parts[CardUuid(card.uuid)]
        return (0 if ask.share else part.sharers, -part.left_mib)

    return sorted(cards, key=lambda card: (distance(card), card.index))


def is_spare(kept: Kept, card: CardReport, ask: Ask) -> bool:
    """Tell whether the card, or enough of it, is not what is kept."""
    uuid = CardUuid(card.uuid)
    if uuid not in kept.cards:
        return True
    memory_mib, jobs = kept.spare.get(uuid, (0, 0))
    return ask.share and jobs > 0 and (ask.gpu_memory_mib or 0) <= memory_mib


def take_spare(kept: Kept, cards: Iterable[CardReport], memory_mib: int) -> None:
    """Note that a share that stays longer was given what was spare of the cards."""
    for uuid in (CardUuid(card.uuid) for card in cards):
        if uuid in kept.spare:
            left_mib, jobs = kept.spare[uuid]
            kept.spare[uuid] = left_mib - memory_mib, jobs - 1


def unread(room: Room, uuids: Iterable[CardUuid]) -> Iterator[Back]:
    """Yield those of the cards on which others still are: they only have to be read again."""
    return (Back(uuid, 0, 0) for uuid in uuids if uuid in room.parts)
