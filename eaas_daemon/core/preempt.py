"""Who is stopped for whom: a job without room may interrupt jobs of less urgent queues.

Only where their queue allows it, only as few as it needs, and only if it starts then: the verdict
on the room as it will be is the planner's own. What comes free by itself in a moment counts as
free, so that nobody is stopped for what is nearly there.
"""

import heapq
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from eaas.ids import CardUuid, JobUid, NodeName, PoolName
from eaas.lifecycle import JobState
from eaas_daemon.core.ask import Shape, amounts_of
from eaas_daemon.core.booked import barred
from eaas_daemon.core.booking_bars import open_cards
from eaas_daemon.core.clearing import with_coming, without
from eaas_daemon.core.ends import is_gone_by
from eaas_daemon.core.fit import Room, cards_in, refusal, suits
from eaas_daemon.core.gates import gate
from eaas_daemon.core.line import PoolTurn
from eaas_daemon.core.making_room import held
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.promised import cap_kept
from eaas_daemon.core.reserve import COOLING_S, kept_from, kept_rooms, overrides
from eaas_daemon.core.state import State
from eaas_daemon.core.victims import Amounts, Loss, Victim, least_loss, loss

PREEMPT_GRACE_S: Final = 30.0
"""What a job gets to save its work when it is interrupted, before it is killed."""

READY_S: Final = PREEMPT_GRACE_S + COOLING_S
"""How long it takes until its room is another's."""

MIN_RUN_S: Final = 60.0
"""So long a job is left alone once it runs: less would be nothing but starting and stopping."""

ALIVE: Final = ("held", "free")
"""What a card reads that is free once its job has ended."""

Looked = Mapping[PoolName, Collection[Shape] | None]
"""Pools that are planned, with the kinds of jobs that are; None is all of them."""


class Interruption(NamedTuple):
    """These are to be stopped, and where they were a waiting job is to start."""

    uid: JobUid
    node: NodeName
    cards: tuple[CardUuid, ...]
    victims: tuple[JobUid, ...]


class Offer(NamedTuple):
    """A node where a job could start once others are gone; smaller is better."""

    loss: Loss
    node: NodeName
    victims: tuple[Victim, ...]
    cards: tuple[CardUuid, ...]


def looked_at(state: State) -> Looked:
    """Return what the coming plan looks at of the pools in which anybody may be stopped."""
    pools = {queue.pool for queue in state.queues.values() if queue.preemptible}
    return {
        name: None if name in state.restless else frozenset(state.arrived[name])
        for name in sorted(pools)
        if name in state.restless or name in state.arrived
    }


def interruptions(state: State, looked: Looked, now: float) -> list[Interruption]:
    """Return whom to stop for whom, after a plan: who could start without has been placed by it.

    A pool that is to be planned again at once has its turn then.
    """
    found: list[Interruption] = []
    search: Search | None = None
    for name, shapes in looked.items():
        pool = state.pools.get(name)
        if pool is None or name in state.restless:
            continue
        urgent = _urgent(state, name, shapes)
        if urgent and any(True for _ in every_victim(state, pool, now)):
            search = search or Search(state, now)
            found += search.of_pool(pool, urgent)
    return found


def _urgent(state: State, name: PoolName, shapes: Collection[Shape] | None) -> list[Shape]:
    """Return the kinds of waiting jobs for which anybody could be stopped."""
    queues = [queue for queue in state.queues.values() if queue.pool == name]
    floor = min((queue.priority for queue in queues if queue.preemptible), default=None)
    if floor is None:
        return []
    above = {queue.ref for queue in queues if queue.priority > floor and not queue.paused}
    return [
        shape
        for shape, turns in state.line.groups(name).items()
        if shape.ref in above
        and (shapes is None or shape in shapes)
        and is_plain(state.jobs[turns[0].uid])
    ]


def is_plain(job: Job) -> bool:
    """Tell whether the job runs on one node, on whole cards: no other takes part."""
    return job.spec.num_nodes == 1 and not job.spec.share


def every_victim(state: State, pool: Pool, now: float) -> Iterator[tuple[NodeName, Victim]]:
    """Yield whoever may be stopped in the pool now, and where."""
    for name in pool.members:
        for job in state.placed.get(name, {}).values():
            if job.pool == pool.name and (victim := victim_of(state, job, now)) is not None:
                yield name, victim


def victim_of(state: State, job: Job, now: float) -> Victim | None:
    """Return what stopping the job would give back, or None if it may not be stopped."""
    queue = state.queues.get(job.ref)
    if queue is None or not queue.preemptible or job.stop is not None:
        return None
    if job.state not in (JobState.STARTING, JobState.RUNNING):
        return None
    if not is_plain(job):
        return None
    ran_s = ran_for(job, now)
    if job.state is JobState.RUNNING and ran_s < MIN_RUN_S:
        return None
    cpus_milli, memory_mib = amounts_of(job)
    return Victim(
        queue_priority=queue.priority,
        priority=job.priority,
        ran_s=ran_s,
        number=job.number,
        uid=job.uid,
        cards=frozenset(card.uuid for card in job.attempts[-1].cards),
        cpus_milli=cpus_milli,
        memory_mib=memory_mib,
    )


def ran_for(job: Job, now: float) -> float:
    """Return how long the attempt has run; its node's clock is believed within reason."""
    attempt = job.attempts[-1]
    if attempt.started_at is None:
        return 0.0
    return max(0.0, now - max(attempt.started_at, attempt.created_at))


def by_node(state: State, pool: Pool, now: float) -> dict[NodeName, list[Victim]]:
    """Return whoever may be stopped in the pool now, by node."""
    victims: dict[NodeName, list[Victim]] = {}
    for name, victim in every_victim(state, pool, now):
        victims.setdefault(name, []).append(victim)
    return victims


def matured(state: State, last: float, now: float) -> set[PoolName]:
    """Return the pools in which a job has since become one that may be stopped."""
    refs = {queue.ref for queue in state.queues.values() if queue.preemptible}
    placed = (job for jobs in state.placed.values() for job in jobs.values()) if refs else ()
    return {
        job.pool
        for job in placed
        if job.ref in refs and ran_for(job, last) < MIN_RUN_S <= ran_for(job, now)
    }


class Search:
    """One look for people to stop: the rooms as they will be soon, and who is left in them."""

    def __init__(self, state: State, now: float) -> None:
        self._state = state
        self._now = now
        self._held = held(state)
        self._rooms = kept_rooms(state, now)
        self._soon = {name: with_coming(state, room) for name, room in self._rooms.items()}
        self._gone: set[JobUid] = set()
        self._offers: dict[tuple[PoolName, Shape], dict[NodeName, Offer | None]] = {}

    def of_pool(self, pool: Pool, shapes: Collection[Shape]) -> Iterator[Interruption]:
        """Yield whom to stop for the pool's jobs of these kinds, the most urgent job first."""
        state = self._state
        groups, order = state.line.groups(pool.name), state.order
        victims = by_node(state, pool, self._now)
        heads: list[tuple[PoolTurn, Shape, int]]
        heads = [(order.place(shape, groups[shape][0]), shape, 0) for shape in shapes]
        heapq.heapify(heads)
        while heads:
            _, shape, index = heapq.heappop(heads)
            job = state.jobs[groups[shape][index].uid]
            if gate(shape, state.queues[shape.ref], pool, self._held) is not None:
                continue
            kept = state.reservations.get(pool.name)
            if cap_kept(state, job, shape, kept, self._held) is not None:
                continue
            best = self.best(pool, job, shape, victims)
            if best is None:
                continue
            self._take(pool, job, best)
            if best.victims:
                uids = tuple(victim.uid for victim in best.victims)
                yield Interruption(job.uid, best.node, best.cards, uids)
            if index + 1 < len(groups[shape]):
                turn = order.place(shape, groups[shape][index + 1])
                heapq.heappush(heads, (turn, shape, index + 1))

    def best(
        self, pool: Pool, job: Job, shape: Shape, victims: Mapping[NodeName, list[Victim]]
    ) -> Offer | None:
        """Return where the job could start at the least loss; without any, it only has to wait."""
        known = self._offers.setdefault((pool.name, shape), {})
        for name in pool.members:
            if name not in known and name in self._rooms:
                known[name] = self._offer(pool, job, shape, name, victims.get(name, ()))
        return min((offer for offer in known.values() if offer is not None), default=None)

    def _offer(
        self, pool: Pool, job: Job, shape: Shape, name: NodeName, victims: Collection[Victim]
    ) -> Offer | None:
        state, ask, room = self._state, shape.ask, self._soon[name]
        at = self._now + READY_S
        if self._has_room(self._rooms[name], job, shape) or not self._may_have(room, job, shape):
            return None
        mine = state.queues[job.ref].priority
        gives = {
            victim: _gives(victim, room, shape, pool, at)
            for victim in victims
            if victim.queue_priority < mine and victim.uid not in self._gone
        }
        chosen = least_loss(_lacks(room, shape, pool, at), gives)
        if chosen is None:
            return None
        cleared = without(room, chosen)
        if refusal(cleared, ask, pool) is not None:
            return None
        if kept_from(state, cleared, job, shape, at) is not None:
            return None
        free = open_cards(cleared, shape, pool, at)
        cards = tuple(CardUuid(card.uuid) for card in free[: ask.gpus])
        return Offer(loss(chosen), name, chosen, cards)

    def _has_room(self, room: Room, job: Job, shape: Shape) -> bool:
        """Tell whether the job has room there without this: then it is not room that it lacks."""
        if refusal(room, shape.ask, self._state.pools[job.pool]) is not None:
            return False
        return kept_from(self._state, room, job, shape, self._now) is None

    def _may_have(self, room: Room, job: Job, shape: Shape) -> bool:
        """Tell whether nothing there is kept for another one whom this would hold up."""
        kept = None if room.kept is None else room.kept.reservation
        if kept is None or kept.uid == job.uid or overrides(self._state, job, shape, kept):
            return True
        return is_gone_by(shape.timeout_s, self._now + READY_S, kept.at)

    def _take(self, pool: Pool, job: Job, offer: Offer) -> None:
        room = without(self._soon[offer.node], offer.victims)
        cpus_milli, memory_mib = amounts_of(job)
        room.cpus_milli -= cpus_milli
        room.memory_mib -= memory_mib
        for uuid in offer.cards:
            del room.free_cards[uuid]
        self._soon[offer.node] = room
        self._gone.update(victim.uid for victim in offer.victims)
        self._held.add(job)
        for known in self._offers.values():
            known.pop(offer.node, None)


def _gives(victim: Victim, room: Room, shape: Shape, pool: Pool, at: float) -> Amounts:
    node, ask, shut = room.node, shape.ask, barred(room.booked, shape, at)
    cards = [
        card
        for card in (cards_in(node, pool) if ask.gpus else ())
        if card.uuid in victim.cards
        and card.uuid not in shut
        and card.uuid not in node.excluded
        and card.state in ALIVE
        and suits(card, node, ask)
    ]
    return len(cards), victim.cpus_milli, victim.memory_mib


def _lacks(room: Room, shape: Shape, pool: Pool, at: float) -> Amounts:
    ask = shape.ask
    return (
        ask.gpus - len(open_cards(room, shape, pool, at)),
        ask.cpus_milli - room.cpus_milli,
        ask.memory_mib - room.memory_mib,
    )
