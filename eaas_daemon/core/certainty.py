"""Whether the moment that a job was promised is certain, or only likely."""

from eaas.ids import CardUuid, NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.ends import ends_by
from eaas_daemon.core.line import turn_of
from eaas_daemon.core.model import Job, Reservation
from eaas_daemon.core.reserve import COOLING_S, is_coming
from eaas_daemon.core.state import State


def certain_at(state: State, job: Job, now: float) -> float | None:
    """Return when (Unix seconds) the waiting job starts at the latest; None where nobody can say.

    It rests on timeouts that count already: an attempt that is still starting may take longer than
    it should, one that is being stopped may not obey, and a card that was given back may stay
    dirty. And nobody who waits now may come before it.
    """
    kept = state.reservations.get(job.pool)
    if kept is None or kept.uid != job.uid or kept.at is None:
        return None
    if not all(_ends_are_known(state, kept, node, now) for node in kept.nodes):
        return None
    if _may_be_passed(state, job, kept):
        return None
    return max(now, kept.at) + (COOLING_S if job.spec.gpus else 0.0)


def _ends_are_known(state: State, kept: Reservation, name: NodeName, now: float) -> bool:
    node = state.nodes.get(name)
    if node is None or kept.at is None:
        return False
    given_back = (state.cooling.get(CardUuid(card.uuid)) for card in node.cards)
    if any(at is not None and is_coming(node, at) for at in given_back):
        return False
    return all(
        other.state is JobState.RUNNING
        for other in state.placed.get(node.name, {}).values()
        if ends_by(other, now) <= kept.at
    )


def _may_be_passed(state: State, job: Job, kept: Reservation) -> bool:
    """Tell whether somebody who waits could come first: people put them first, though a gate is
    shut before them now, or nothing is kept for this one yet.
    """
    order = state.order
    mine = order.place(shape_of(job), turn_of(job))
    for name, pool in state.pools.items():
        groups = state.line.groups(name)
        if name != job.pool:
            is_shared = groups and not pool.members.keys().isdisjoint(kept.nodes)
            if is_shared and not kept.is_firm:
                return True
            continue
        for shape, turns in groups.items():
            theirs = order.place(shape, turns[0])
            if theirs.rightful < mine.rightful:
                return True
            is_level = theirs.rightful == mine.rightful
            if not kept.is_firm and (theirs < mine or (is_level and shape.user != job.user)):
                return True
    return False
