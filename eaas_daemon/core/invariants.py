"""What must hold of every state, whatever has happened."""

from collections import Counter
from collections.abc import Iterator

from eaas.ids import NodeName
from eaas.lifecycle import PLACED, JobState
from eaas_daemon.core.ask import ArrayLimit, ask_of, limit_of
from eaas_daemon.core.gang_invariants import broken_gangs
from eaas_daemon.core.rooms import room_of
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally
from eaas_daemon.core.usage import UsageKey


def broken(state: State) -> list[str]:
    """Return a sentence for everything that does not hold; empty when all is well."""
    found = [*_cards(state), *_rooms(state), *_remembered(state), *_indexes(state)]
    return [*found, *_promises(state), *broken_gangs(state)]


def _promises(state: State) -> Iterator[str]:
    """Yield where room is being made for nobody, or the same for two."""
    made = {job.uid for job in state.jobs.values() if job.promise is not None}
    if made != state.aside.promised.keys():
        yield "for whom room is being made is not remembered"
    promised = Counter(
        (job.promise.node, uuid)
        for job in state.aside.promised.values()
        if job.promise is not None
        for uuid in job.promise.cards
    )
    for (node, card), count in promised.items():
        if count > 1:
            yield f"card {card} of {node} is promised to {count} jobs"
        owners = state.placed.get(node, {}).values()
        for job in owners:
            if job.stop is None and any(held.uuid == card for held in job.attempts[-1].cards):
                yield f"card {card} of {node} is promised, and job {job.number} goes on with it"
    for job in state.aside.promised.values():
        if job.state is not JobState.PENDING:
            yield f"job {job.number} is {job.state} and room is being made for it"


def _cards(state: State) -> Iterator[str]:
    owners = Counter(
        (job.attempts[-1].node, card.uuid)
        for job in state.jobs.values()
        if job.state in PLACED
        for card in job.attempts[-1].cards
    )
    for (node, card), count in owners.items():
        if count > 1:
            yield from _beside_each_other(state, node, card, count)
    for job in state.jobs.values():
        if job.state in PLACED and len(job.attempts[-1].cards) != job.spec.gpus:
            yield f"job {job.number} asked for {job.spec.gpus} cards and holds another number"


def _beside_each_other(state: State, node: NodeName, card: str, count: int) -> Iterator[str]:
    """Yield what is wrong with a card that several hold: all must be shares, and fit together."""
    claims = [
        held
        for job in state.jobs.values()
        if job.state in PLACED and job.attempts[-1].node == node
        for held in job.attempts[-1].cards
        if held.uuid == card
    ]
    shares = [held.memory_mib for held in claims if held.memory_mib is not None]
    if len(shares) < len(claims):
        yield f"card {card} of {node} is held {count} times"
    elif sum(shares) > (limit := max(held.of_mib or 0 for held in claims)):
        yield f"{sum(shares)} MiB of card {card} of {node} are claimed, of {limit} at most"


def _rooms(state: State) -> Iterator[str]:
    for name, jobs in state.placed.items():
        node = state.nodes.get(name)
        if node is None:
            if jobs:
                yield f"jobs are placed on {name}, which is not known"
            continue
        asks = [ask_of(job) for job in jobs.values()]
        if sum(ask.cpus_milli for ask in asks) > round(node.inventory.cpus * 1000):
            yield f"{name} has given away more CPUs than it has"
        if sum(ask.memory_mib for ask in asks) > node.inventory.memory_mib:
            yield f"{name} has given away more memory than it has"


def _indexes(state: State) -> Iterator[str]:
    waiting = {uid for pool in state.pools for uid in state.line.in_order(pool, state.order)}
    for job in state.jobs.values():
        is_pending = job.state is JobState.PENDING
        if is_pending != (job.uid in waiting or job.uid in state.aside):
            yield f"job {job.number} is {job.state} and its place in line disagrees"
        live = job.live_attempt
        if live is not None and job.uid not in state.placed.get(live.node, {}):
            yield f"job {job.number} is {job.state} and its node does not know"
        if any(attempt.number != i for i, attempt in enumerate(job.attempts, 1)):
            yield f"the attempts of job {job.number} are not numbered from 1 without gaps"
    if waiting - state.jobs.keys():
        yield "somebody waits who is no job"
    yield from _arrays(state)
    yield from _placed(state)


def _arrays(state: State) -> Iterator[str]:
    """Yield where arrays do not have their tasks, or run more of them than they may."""
    running: Counter[ArrayLimit] = Counter()
    for job in state.jobs.values():
        if job.array is not None:
            if state.arrays.of(job.array).get(job.array_index or 0) != job.uid:
                yield f"array {job.array} does not know its task {job.called}"
            if (limit := limit_of(job)) is not None and job.state in PLACED:
                running[limit] += 1
    for limit, count in running.items():
        if count > limit.at_most:
            yield f"array {limit.array} runs {count} tasks and may run {limit.at_most}"


def _placed(state: State) -> Iterator[str]:
    """Yield where nodes or queues count jobs that own nothing."""
    for node, jobs in state.placed.items():
        for uid, job in jobs.items():
            live = job.live_attempt
            if live is None or live.node != node or state.jobs.get(uid) is not job:
                yield f"{node} counts job {job.number}, which owns nothing there"
    held = Tally()
    for job in state.jobs.values():
        if job.state in PLACED:
            held.add(job)
    if dict(held) != dict(state.held):
        yield "what queues and users are said to hold is not what their jobs hold"
    yield from _caps(state)


def _remembered(state: State) -> Iterator[str]:
    """Yield where what is remembered of a room is not what it has."""
    for name, room in state.rooms.items():
        true = room_of(state, state.nodes[name])
        if (room.cpus_milli, room.memory_mib, room.free_cards.keys(), room.parts) != (
            true.cpus_milli,
            true.memory_mib,
            true.free_cards.keys(),
            true.parts,
        ):
            yield f"what is remembered of {name} is not what it has left"


def _caps(state: State) -> Iterator[str]:
    """Yield where users hold more than they are counted as having."""
    held: Counter[UsageKey] = Counter()
    for job in state.jobs.values():
        if job.state in PLACED:
            held[job.pool, job.user] += job.attempts[-1].thousandths
    for (pool, user), used in state.usage.items():
        said, true = used.thousandths / 1000, held[pool, user] / 1000
        if said != true:
            yield f"{user} is said to use {said:g} cards of {pool} and holds {true:g}"
