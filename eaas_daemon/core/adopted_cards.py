"""The cards of an attempt that is to be adopted: whether it can have them, and the claims."""

from eaas.ids import CardUuid
from eaas.wire.to_agent import Order
from eaas_daemon.core.card_claims import owners_of, share_of
from eaas_daemon.core.model import HeldCard, Node
from eaas_daemon.core.state import State


def taken_card(state: State, node: Node, order: Order) -> str | None:
    """Return in words why the attempt can't have its cards, or None if it can."""
    known = {card.uuid: card for card in node.inventory.cards}
    for uuid in order.cards:
        if (card := known.get(uuid)) is None:
            return f"it holds the card {uuid}, which {node.name} does not show now"
        others = [job for job in owners_of(state, node.name, uuid) if job.uid != order.uid]
        shares = [share_of(job, uuid) for job in others]
        if others and (order.share_mib is None or None in shares):
            return f"card {card.index} belongs to job {others[0].number} here; cancel one of both"
        declared = sum(mib or 0 for mib in shares) + (order.share_mib or 0)
        if order.share_mib is not None and declared > (card.share_mib or 0):
            return (
                f"{declared} MiB of card {card.index} would be declared with it, of "
                f"{card.share_mib or 0} that jobs may share"
            )
    return None


def claims_of_order(node: Node, order: Order) -> tuple[HeldCard, ...]:
    """Return the claims that the attempt has."""
    known = {card.uuid: card for card in node.inventory.cards}
    share_mib = order.share_mib
    return tuple(
        HeldCard(
            uuid=CardUuid(uuid),
            index=known[uuid].index,
            memory_mib=share_mib,
            of_mib=None if share_mib is None else known[uuid].share_mib,
        )
        for uuid in order.cards
    )
