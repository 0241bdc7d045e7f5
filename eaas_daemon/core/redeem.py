"""What becomes of a promise: its job is placed once all of it is there, or stands in line again."""

from msgspec.structs import replace

from eaas.ids import CardUuid
from eaas.wire.from_agent import CardReport
from eaas_daemon.core.ask import ask_of, shape_of
from eaas_daemon.core.booking_bars import booked_from, note_bookings
from eaas_daemon.core.fit import never, refusal, unfit
from eaas_daemon.core.gates import gate
from eaas_daemon.core.making_room import held, leave_out
from eaas_daemon.core.model import Job, Node, Pool, Promise
from eaas_daemon.core.plan import Placement
from eaas_daemon.core.reserve import LOST_S, is_coming
from eaas_daemon.core.rooms import room_of
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally


def redeemed(state: State, now: float) -> list[Placement]:
    """Return the placements of those whose room has become free.

    Who can't have theirs any more stands in line again, at the place that they had.
    """
    placements: list[Placement] = []
    all_held = held(state)
    for job in sorted(state.aside.promised.values(), key=lambda job: job.number):
        assert job.promise is not None, "that is how it came in there"
        pool, node = state.pools.get(job.pool), state.nodes.get(job.promise.node)
        all_held.remove(job)
        if pool is None or node is None or _is_void(state, job, pool, node, all_held):
            state.put_job(replace(job, promise=None))
            continue
        all_held.add(job)
        if node.session is not None:  # else wait for its word
            cards = _cards(state, job, pool, node, now)
            if cards is not None:
                placements.append(Placement(job.uid, node.name, cards))
            elif not _is_coming(state, job.promise, node, now):
                state.put_job(replace(job, promise=None))
    return placements


def _is_void(state: State, job: Job, pool: Pool, node: Node, others: Tally) -> bool:
    """Tell whether the job may not start there any more, whatever is free.

    ``others`` is what all but this one hold or are to have. An agent that has been silent for a
    moment is waited for.
    """
    queue = state.queues.get(job.ref)
    if queue is None or node.name not in pool.members:
        return True
    if gate(shape_of(job), queue, pool, others) is not None:
        return True
    if node.session is None:
        return node.offline or node.draining
    return unfit(node, None) is not None or never(node, ask_of(job), pool) is not None


def _cards(
    state: State, job: Job, pool: Pool, node: Node, now: float
) -> tuple[CardReport, ...] | None:
    """Return the job's cards, or None while what it was promised is not all there."""
    room, shape = room_of(state, node), shape_of(job)
    rooms = {node.name: room}
    leave_out(state, rooms, but=job.uid)
    note_bookings(state, rooms, now)
    promised = () if job.promise is None else job.promise.cards
    if any(uuid not in room.free_cards for uuid in promised):
        return None
    room.free_cards = {uuid: room.free_cards[uuid] for uuid in promised}
    if refusal(room, shape.ask, pool) or booked_from(room, shape, pool, now):
        return None
    return tuple(room.free_cards.values())


def _is_coming(state: State, promise: Promise, node: Node, now: float) -> bool:
    """Tell whether what is missing of the promise is on its way."""
    placed = state.placed.get(node.name, {}).values()
    owners = {card.uuid: job for job in placed for card in job.attempts[-1].cards}
    is_all_free = True
    for uuid in promise.cards:
        card, owner = node.card(uuid), owners.get(uuid)
        is_free = card is not None and card.state == "free" and uuid not in state.cooling
        if owner is None and is_free:
            continue
        is_all_free = False
        if owner is not None and owner.stop is not None:
            continue
        if owner is not None or card is None or not _is_clean_soon(state, promise, card, node, now):
            return False
    return not is_all_free or any(job.stop is not None for job in placed)


def _is_clean_soon(
    state: State, promise: Promise, card: CardReport, node: Node, now: float
) -> bool:
    """Tell whether a card that nobody owns any more will be read free.

    When it was released is forgotten by a controller that was started anew.
    """
    if card.state in ("foreign", "sick") or card.uuid in node.excluded:
        return False
    released_at = state.cooling.get(CardUuid(card.uuid))
    if released_at is not None:
        return is_coming(node, released_at)
    return now <= promise.ready_by + LOST_S
