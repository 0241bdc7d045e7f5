"""Room that is being made for waiting jobs: others are stopped there, and nobody else gets it.

What a promise names is left out of every room as if its job were placed there already. Part of it
may still be held by those that are being stopped: that part comes back to its job, not to all.
"""

from collections.abc import Mapping
from typing import NamedTuple

from eaas import reasons as r
from eaas.ids import CardUuid, JobNumber, JobUid, NodeName
from eaas.lifecycle import JobState
from eaas.preempt_reasons import MakingRoom, Preempted
from eaas.sentences import sentence
from eaas_daemon.core.ask import Ask, amounts_of
from eaas_daemon.core.ends import ends_if_placed
from eaas_daemon.core.fit import Return, Room, refusal
from eaas_daemon.core.model import Job, Pool
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally

LACKS = (r.TooFewFreeCards, r.TooLittleCpu, r.TooLittleMemory)


class Part(NamedTuple):
    """Some of what a node has."""

    cpus_milli: int = 0
    memory_mib: int = 0


NOTHING = Part()


def by_node(state: State) -> dict[NodeName, list[Job]]:
    """Return the jobs for which room is being made, by the node where, the oldest first."""
    found: dict[NodeName, list[Job]] = {}
    for job in sorted(state.aside.promised.values(), key=lambda job: job.number):
        if job.promise is not None:
            found.setdefault(job.promise.node, []).append(job)
    return found


def on_node(state: State, name: NodeName) -> list[Job]:
    """Return the jobs for which room is being made there, the oldest first."""
    return by_node(state).get(name, []) if state.aside.promised else []


def stopping_for(state: State, job: Job) -> list[Job]:
    """Return what has not ended yet of those that are stopped where the job is to start."""
    if job.promise is None:
        return []
    placed = state.placed.get(job.promise.node, {}).values()
    victims = [one for one in placed if one.stop is not None and _is_for(one, job)]
    return sorted(victims, key=lambda one: one.number)


def _is_for(victim: Job, job: Job) -> bool:
    first = None if victim.stop is None else victim.stop.first
    return first is not None and first.job == job.number


def stopped_by(state: State, victim: Job) -> float | None:
    """Return when the job that is interrupted has been stopped, if nothing goes wrong."""
    first = None if victim.stop is None else victim.stop.preempted
    uid = None if first is None or first.job is None else state.numbers.get(JobNumber(first.job))
    job = None if uid is None else state.aside.promised.get(uid)
    return None if job is None or job.promise is None else job.promise.stopped_by


def promised_cards(state: State, name: NodeName) -> frozenset[CardUuid]:
    """Return the cards of the node that nobody but those to whom they are promised gets."""
    jobs = on_node(state, name)
    return frozenset(uuid for job in jobs if job.promise for uuid in job.promise.cards)


def passed_on(state: State, name: NodeName) -> dict[JobUid, Part]:
    """Return what of each job that is being stopped goes to the one that goes first."""
    passed: dict[JobUid, Part] = {}
    for job in on_node(state, name):
        passed.update(_passed(state, job))
    return passed


def _passed(state: State, job: Job) -> dict[JobUid, Part]:
    passed: dict[JobUid, Part] = {}
    cpus_milli, memory_mib = amounts_of(job)
    for victim in stopping_for(state, job):
        cpus, memory = amounts_of(victim)
        part = passed[victim.uid] = Part(min(cpus, cpus_milli), min(memory, memory_mib))
        cpus_milli -= part.cpus_milli
        memory_mib -= part.memory_mib
    return passed


def leave_out(state: State, rooms: Mapping[NodeName, Room], but: JobUid | None = None) -> None:
    """Take what is promised out of the rooms; that of one job may stay in."""
    for job in state.aside.promised.values():
        promise = job.promise
        room = None if promise is None else rooms.get(promise.node)
        if promise is None or room is None or job.uid == but:
            continue
        parts = _passed(state, job).values()
        cpus_milli, memory_mib = amounts_of(job)
        room.cpus_milli -= cpus_milli - sum(part.cpus_milli for part in parts)
        room.memory_mib -= memory_mib - sum(part.memory_mib for part in parts)
        for uuid in promise.cards:
            room.free_cards.pop(uuid, None)
        ends = ends_if_placed(job.timeout_s, promise.ready_by)
        room.taken.append(Return(ends, cpus_milli, memory_mib, promise.cards))


def held(state: State) -> Tally:
    """Return what live attempts hold and what promised ones will: a copy, to count on with."""
    tally = state.held.copy()
    for job in state.aside.promised.values():
        tally.add(job)
    return tally


def kept_for(state: State, room: Room, ask: Ask, pool: Pool, reason: r.NodeReason) -> r.NodeReason:
    """Return to whom it is promised what the ask lacks there, or the reason if it lacks more."""
    jobs = on_node(state, room.node.name)
    bare = state.rooms.get(room.node.name)
    if not jobs or bare is None or not isinstance(reason, LACKS):
        return reason
    if refusal(bare, ask, pool) is not None:
        return reason
    first = jobs[0]
    return r.CardReserved(
        node=room.node.name,
        job=first.number,
        user=first.user,
        asked=ask.gpus,
        available=len(room.free_cards),
    )


def goes_on(job: Job) -> str:
    """Return how the sentence about a job ends that is or was interrupted for another."""
    if job.stop is not None:
        return "" if job.stop.preempted is None else "; it goes on when there is room again"
    last = job.attempts[-1].reason if job.state is JobState.PENDING and job.attempts else None
    if not isinstance(last, Preempted):
        return ""
    return f"; it was {sentence(last)} and goes on when there is room again"


def why_promised(state: State, job: Job, now: float) -> MakingRoom | None:
    """Return for what the waiting job waits, if others are stopped for it."""
    if job.promise is None:
        return None
    victims = stopping_for(state, job)
    return MakingRoom(
        node=job.promise.node,
        jobs=tuple(victim.number for victim in victims),
        called=tuple(victim.called for victim in victims),
        users=tuple(victim.user for victim in victims),
        in_s=max(0.0, job.promise.ready_by - now),
    )
