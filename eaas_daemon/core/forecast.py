"""When a waiting job is likely to start: the plan, played forward on a copy of the state.

Every job that is placed is taken to run until its timeout; one without, for as long as its like
usually do. One of which neither is known never ends here. Nothing new comes, no node is lost, and
no job fails. What then happens is decided by the same functions as always.
"""

import heapq
from collections.abc import Collection
from math import inf
from typing import Final

from msgspec.structs import replace

from eaas.ids import CardUuid, JobUid, NodeName, PoolName
from eaas.lifecycle import JobState, Verb
from eaas_daemon.core.attempts import place_all, settle
from eaas_daemon.core.booking_moments import next_moment
from eaas_daemon.core.ends import START_ALLOWANCE_S, ends_by
from eaas_daemon.core.gangs import as_ranks
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import COOLING_S, is_coming
from eaas_daemon.core.state import State
from eaas_daemon.core.still import still
from eaas_daemon.core.usual import usual_s

MAX_AHEAD: Final = 2000
"""With so many jobs ahead nobody can say."""
MAX_LOOKS: Final = 600
"""Nor once so many jobs have ended, been placed, or nodes been planned for, all added up: an answer
may cost 0.1 s. That is 300 ends at most."""
GROUPS_A_LOOK: Final = 8
"""So many groups of waiting jobs cost a plan as much as a node does."""


def end_of(state: State, job: Job, now: float) -> float | None:
    """Return when the placed job ends, at the latest or by estimate; None when nobody knows."""
    at = ends_by(job, now)
    if at < inf:
        return at
    if job.state is JobState.UNKNOWN:
        return None
    attempt = job.attempts[-1]
    began = attempt.started_at
    if began is None:
        began = max(now, attempt.created_at + START_ALLOWANCE_S)
    usual = usual_s(state.runs, job, max(0.0, now - began))
    return None if usual is None else max(now, began + usual)


def forecast(state: State, job: Job, now: float) -> float | None:
    """Return when (Unix seconds) the waiting job is placed by estimate; None when nobody knows.

    The job need not have been submitted. ``state`` stays as it is.
    """
    if job.in_line and state.line.position(job, state.order) > MAX_AHEAD:
        return None
    if state.queues[job.ref].paused:
        return None
    return Play(state, job, now).placed_at()


class Play:
    """A copy of the state in which time goes on by itself."""

    def __init__(self, state: State, job: Job, now: float) -> None:
        self._state = twin = still(state)
        self._uid = job.uid
        self._now = now
        self._looks = MAX_LOOKS
        twin.settle()
        nodes = _concerned(state, job.pool)
        twin.nodes = {name: node for name, node in state.nodes.items() if name in nodes}
        if job.uid not in twin.jobs:
            for one in as_ranks(job) if job.spec.num_nodes > 1 else (job,):
                twin.put_job(one)
        self._ends: list[tuple[float, JobUid]] = []
        for name in sorted(nodes):
            for other in twin.placed.get(name, {}).values():
                self._await(other)
        for uid in twin.aside.delayed:
            self._await_moment(uid)
        self._cooled_at = now + COOLING_S if twin.cooling else inf

    def placed_at(self) -> float | None:
        """Let time go on until the job is placed; return when that was."""
        self._plan()
        while self._state.jobs[self._uid].state is JobState.PENDING:
            if self._looks <= 0 or not self._go_on():
                return None
        return self._now

    def _await_moment(self, uid: JobUid) -> None:
        until = self._state.aside.delayed.get(uid)
        if until is not None:
            heapq.heappush(self._ends, (until, uid))

    def _await(self, job: Job) -> None:
        end = end_of(self._state, job, self._now)
        if end is not None:
            heapq.heappush(self._ends, (end + COOLING_S, job.uid))

    def _go_on(self) -> bool:
        """Go to the next moment at which something is over; return False if there is none."""
        first = self._ends[0][0] if self._ends else inf
        booked = next_moment(self._state.bookings.values(), self._now)
        at = min(first, self._cooled_at, booked or inf)
        if at == inf:
            return False
        self._now = max(self._now, at)
        if booked == at:
            self._looks -= 1
            self._state.restless.update(self._state.pools)
        if self._cooled_at <= at:
            self._cool_all()
        while self._ends and self._ends[0][0] <= self._now:
            self._looks -= 1
            self._over(self._state.jobs[heapq.heappop(self._ends)[1]])
        self._plan()
        return True

    def _cool_all(self) -> None:
        self._cooled_at = inf
        for node in self._state.nodes.values():
            uuids = [CardUuid(card.uuid) for card in node.cards]
            given_back = [(uuid, self._state.cooling.get(uuid)) for uuid in uuids]
            coming = [uuid for uuid, at in given_back if at is not None and is_coming(node, at)]
            self._free(node.name, coming)
        self._state.rooms.clear()
        self._state.restless.update(self._state.pools)

    def _over(self, job: Job) -> None:
        """Let the job's wait for a moment be over, or its attempt, whose cards are free at once."""
        state = self._state
        if job.state is JobState.PENDING:
            state.put_job(replace(job, not_before=None, pending_since=self._now))
            return
        attempt = job.attempts[-1]
        rooms = {name: room for name, room in state.rooms.items() if name != attempt.node}
        behind = state.aside.behind(job.number)
        preempted = None if job.stop is None else job.stop.preempted
        settle(state, job, (_verb(job), preempted), self._now)
        for uid in behind:
            self._await_moment(uid)
        self._free(attempt.node, [card.uuid for card in attempt.cards])
        state.rooms.clear()
        state.rooms.update(rooms)

    def _free(self, name: NodeName, uuids: Collection[CardUuid | str]) -> None:
        """Let those of the cards be read clean that somebody had."""
        state, node = self._state, self._state.nodes[name]
        back = {uuid for uuid in uuids if state.cooling.pop(CardUuid(uuid), None) is not None}
        cards = tuple(
            replace(card, state="free") if card.uuid in back and card.state == "held" else card
            for card in node.cards
        )
        if back:
            state.put_node(replace(node, cards=cards), durable=False)

    def _plan(self) -> None:
        groups = sum(len(self._state.line.groups(name)) for name in self._state.restless)
        placed = place_all(self._state, self._now, at_most=max(1, self._looks))
        for job in placed:
            self._await(job)
        self._looks -= len(self._state.nodes) + len(placed) + groups // GROUPS_A_LOOK
        self._state.settle()


def _verb(job: Job) -> Verb:
    """Return how the attempt ends, if nothing goes wrong."""
    if job.stop is None or job.state is not JobState.STOPPING:
        return Verb.EXITED_CLEANLY
    if job.stop.preempted is not None:
        return Verb.STOPPED_TO_WAIT
    return Verb.STOPPED_BY_TIME if job.stop.why == "timed_out" else Verb.STOPPED


def _concerned(state: State, pool: PoolName) -> set[NodeName]:
    """Return the pool's nodes, and those of all pools that share nodes with it, and so on."""
    nodes = set(state.pools[pool].members)
    while True:
        more = {
            name
            for other in state.pools.values()
            if not nodes.isdisjoint(other.members)
            for name in other.members
        }
        if more <= nodes:
            return nodes
        nodes |= more
