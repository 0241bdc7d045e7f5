"""Who is on a card, with how much of its memory, and who uses more than they declared."""

from collections.abc import Sequence

from eaas.ids import NodeName
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.model import Job, Node
from eaas_daemon.core.parts import parts_of
from eaas_daemon.core.state import State


def owners_of(state: State, node: NodeName, card: str) -> list[Job]:
    """Return the jobs that hold the card or a share of it, by number."""
    owners = [
        job
        for job in state.placed.get(node, {}).values()
        if any(held.uuid == card for held in job.attempts[-1].cards)
    ]
    return owners if len(owners) < 2 else sorted(owners, key=lambda job: job.number)


def is_shared(state: State, node: NodeName, card: str) -> bool:
    """Tell whether jobs are on the card that hold a share of it."""
    return any(job.spec.share for job in owners_of(state, node, card))


def share_of(job: Job, card: str) -> int | None:
    """Return the MiB of the card that the placed job has declared; None is the whole card."""
    return next(held.memory_mib for held in job.attempts[-1].cards if held.uuid == card)


def claimed_mib(card: CardReport, owners: Sequence[Job]) -> int:
    """Return the MiB of the card that are spoken for."""
    shares = [share_of(job, card.uuid) for job in owners]
    return sum((card.memory_total_mib or 0) if mib is None else mib for mib in shares)


def may_join(state: State, node: Node, card: CardReport) -> bool:
    """Tell whether a job could be given a share of the shared card, if only a small one."""
    claims = [
        held
        for job in owners_of(state, node.name, card.uuid)
        for held in job.attempts[-1].cards
        if held.uuid == card.uuid
    ]
    return any(part.takes(1) for part in parts_of(node, claims, state.cooling).values())


def note_overuse(state: State, old: Node, new: Node, now: float) -> None:
    """Say in the journal, once each time it begins, that a job uses more than it declared."""
    before = {card.uuid: card.overusers for card in old.cards if card.overusers}
    for card in new.cards:
        for number in card.overusers:
            if number in before.get(card.uuid, ()):
                continue
            owners = owners_of(state, new.name, card.uuid)
            user = next((job.user for job in owners if job.number == number), None)
            words = f"card {card.index} of {new.name}: {card.text or 'more is used than declared'}"
            state.journal("card.overused", words, now, job=number, node=new.name, user=user)
