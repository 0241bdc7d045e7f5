"""What admins do to pools, queues and nodes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from eaas import reasons as r
from eaas.errors import Conflict, FieldError, Forbidden, Invalid, NotFound
from eaas.ids import CardUuid, NodeName, PoolName, QueueName, is_name, queue_ref
from eaas.lifecycle import JobState, Verb
from eaas.spelling import nearest
from eaas.units import format_duration
from eaas.wire.rest import SetPool, SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.advance import advance
from eaas_daemon.core.attempts import settle
from eaas_daemon.core.booking_book import refuse_booked
from eaas_daemon.core.effects import CleanCard, TurnAway
from eaas_daemon.core.model import Job, Node, Pool, Queue
from eaas_daemon.core.reason_union import AnyReason
from eaas_daemon.core.so_far import counted_on
from eaas_daemon.core.state import State
from eaas_daemon.core.trust import forget_node
from eaas_daemon.core.unseen import forget_unseen

MIN_HALF_LIFE_S: Final = 60.0
MAX_HALF_LIFE_S: Final = 90 * 86400.0


def _admin(caller: e.Caller) -> None:
    if not caller.admin:
        raise Forbidden(f"only an admin may do this, and you are {caller.user}")


def _check_name(what: str, name: str) -> None:
    if not is_name(name):
        message = f"a {what} is named with a-z, 0-9 and . _ - inside, 63 at most, not {name!r}"
        raise Invalid((FieldError(field="name", message=message),))


def pool_named(state: State, name: str) -> Pool:
    """Return the pool, or refuse with the nearest name."""
    pool = state.pools.get(PoolName(name))
    if pool is None:
        raise NotFound(f"there is no pool {name}" + _hint(name, list(state.pools)))
    return pool


def node_named(state: State, name: str) -> Node:
    """Return the node, or refuse with the nearest name."""
    node = state.nodes.get(NodeName(name))
    if node is None:
        raise NotFound(f"there is no node {name}" + _hint(name, list(state.nodes)))
    return node


def queue_named(state: State, pool: str, name: str) -> Queue:
    """Return the queue, or refuse with the nearest name."""
    queue = state.queues.get(queue_ref(pool_named(state, pool).name, name))
    if queue is None:
        names = [q.name for q in state.queues.values() if q.pool == pool]
        raise NotFound(f"pool {pool} has no queue {name}" + _hint(name, names))
    return queue


def _hint(word: str, names: list[Any]) -> str:
    near = nearest(word, names)
    return f"; did you mean {near}?" if near else ""


# --- pools


def create_pool(state: State, event: e.CreatePool, now: float) -> Pool:
    """Make an empty pool with its queue ``default``."""
    _admin(event.caller)
    _check_name("pool", event.name)
    if event.name in state.pools:
        raise Conflict(f"pool {event.name} exists already")
    pool = counted_on(state, Pool(name=PoolName(event.name)), now)
    state.put_pool(pool)
    state.put_queue(Queue(pool=pool.name, name=QueueName("default")))
    _tell(state, event, "pool.created", f"made pool {pool.name}", now)
    return pool


def change_pool(state: State, event: e.ChangePool, now: float) -> Pool:
    """Change the settings that are named."""
    _admin(event.caller)
    named = _named(event.settings)
    errors = _negative(named)
    half_life_s = named.get("half_life_s")
    if half_life_s is not None and not MIN_HALF_LIFE_S <= half_life_s <= MAX_HALF_LIFE_S:
        least, most = format_duration(MIN_HALF_LIFE_S), format_duration(MAX_HALF_LIFE_S)
        message = f"half_life_s must be from {least} to {most}, not {format_duration(half_life_s)}"
        errors = [FieldError(field="half_life_s", message=message)]
    if errors:
        raise Invalid(tuple(errors))
    pool = pool_named(state, event.name)
    if half_life_s not in (None, pool.half_life_s):
        pool = counted_on(state, pool, now)
    pool = replace(pool, **named)
    state.put_pool(pool)
    _tell(state, event, "pool.changed", f"changed pool {pool.name}", now)
    return pool


def delete_pool(state: State, event: e.DeletePool, now: float) -> None:
    """Remove a pool in which no job waits or runs."""
    _admin(event.caller)
    pool = pool_named(state, event.name)
    if busy := [job.number for job in _open_jobs(state) if job.pool == pool.name]:
        raise Conflict(f"pool {pool.name} has jobs that have not ended: {_some(busy)}")
    refuse_booked(state, f"pool {pool.name}", pool.name, None, now)
    for ref in [q.ref for q in state.queues.values() if q.pool == pool.name]:
        state.drop_queue(ref)
    state.drop_pool(pool.name)
    _tell(state, event, "pool.deleted", f"deleted pool {pool.name}", now)


def add_to_pool(state: State, event: e.AddToPool, now: float) -> Pool:
    """Let the node, or some of its cards, belong to the pool."""
    _admin(event.caller)
    pool, node = pool_named(state, event.pool), node_named(state, event.node)
    cards = None
    if event.cards is not None:
        cards = tuple(dict.fromkeys(card_of(node, text) for text in event.cards))
    pool = replace(pool, members={**pool.members, node.name: cards})
    state.put_pool(pool)
    part = "" if cards is None else f" with {len(cards)} of its cards"
    _tell(state, event, "pool.node_added", f"added {node.name}{part} to pool {pool.name}", now)
    return pool


def remove_from_pool(state: State, event: e.RemoveFromPool, now: float) -> Pool:
    """Let the node not belong to the pool; what runs there runs on."""
    _admin(event.caller)
    pool = pool_named(state, event.pool)
    if event.node not in pool.members:
        raise NotFound(f"{event.node} is not in pool {pool.name}")
    members = {name: cards for name, cards in pool.members.items() if name != event.node}
    pool = replace(pool, members=members)
    state.put_pool(pool)
    words = f"took {event.node} out of pool {pool.name}"
    _tell(state, event, "pool.node_removed", words, now)
    return pool


# --- queues


def create_queue(state: State, event: e.CreateQueue, now: float) -> Queue:
    """Make a queue with these settings."""
    _admin(event.caller)
    pool = pool_named(state, event.pool)
    _check_name("queue", event.name)
    if queue_ref(pool.name, event.name) in state.queues:
        raise Conflict(f"queue {pool.name}/{event.name} exists already")
    queue = _with(Queue(pool=pool.name, name=QueueName(event.name)), event.settings)
    state.put_queue(queue)
    _tell(state, event, "queue.created", f"made queue {queue.ref}", now)
    return queue


def change_queue(state: State, event: e.ChangeQueue, now: float) -> Queue:
    """Change the settings that are named."""
    _admin(event.caller)
    old = queue_named(state, event.pool, event.name)
    queue = _with(old, event.settings)
    state.put_queue(queue)
    if queue.paused != old.paused:
        kind, words = ("paused", "paused") if queue.paused else ("resumed", "resumed")
        _tell(state, event, f"queue.{kind}", f"{words} queue {queue.ref}", now)
    else:
        _tell(state, event, "queue.changed", f"changed queue {queue.ref}", now)
    return queue


def _with(queue: Queue, settings: SetQueue) -> Queue:
    named = _named(settings)
    if errors := _negative(named):
        raise Invalid(tuple(errors))
    return replace(queue, **named)


def _named(settings: SetQueue | SetPool) -> dict[str, Any]:
    """Return the settings that were given, as the model has them."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in msgspec.structs.asdict(settings).items()
        if value is not msgspec.UNSET
    }


def _negative(named: Mapping[str, Any]) -> list[FieldError]:
    """Name the settings that are below 0 and may not be."""
    return [
        FieldError(field=key, message=f"{key} must be 0 or more, not {value}")
        for key, value in named.items()
        if key not in ("priority", "max_priority")
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and value < 0
    ]


def delete_queue(state: State, event: e.DeleteQueue, now: float) -> None:
    """Remove a queue in which no job waits or runs."""
    _admin(event.caller)
    queue = queue_named(state, event.pool, event.name)
    if queue.name == "default":
        raise Conflict(f"every pool keeps its queue default; pause {queue.ref} instead")
    if busy := [job.number for job in _open_jobs(state) if job.ref == queue.ref]:
        raise Conflict(f"queue {queue.ref} has jobs that have not ended: {_some(busy)}")
    refuse_booked(state, f"queue {queue.ref}", queue.pool, queue.name, now)
    state.drop_queue(queue.ref)
    _tell(state, event, "queue.deleted", f"deleted queue {queue.ref}", now)


def _open_jobs(state: State) -> Iterator[Job]:
    """Yield the jobs that have not ended; those that end in this step are still in memory."""
    return (job for job in state.jobs.values() if not job.ended)


def _some(numbers: list[Any]) -> str:
    listed = ", ".join(str(number) for number in sorted(numbers)[:5])
    return listed + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


# --- nodes


def set_draining(state: State, event: e.SetDraining, now: float) -> Node:
    """Let the node finish what it has and take nothing new, or take work again.

    To let it work again is an admin's word that a twin of it is no more.
    """
    _admin(event.caller)
    old = node_named(state, event.node)
    node = replace(old, draining=event.draining)
    words = f"drains {node.name}"
    if not event.draining:
        node = replace(node, twin=None)
        words = f"resumed {node.name}" + (", whose twin is settled" if old.twin else "")
    state.put_node(node, durable=True)
    kind = "node.draining" if event.draining else "node.resumed"
    _tell(state, event, kind, words, now)
    return node


def set_labels(state: State, event: e.SetLabels, now: float) -> Node:
    """Set or remove the node's labels that are named."""
    _admin(event.caller)
    node = node_named(state, event.node)
    labels = {**node.labels, **{k: v for k, v in event.labels.items() if v is not None}}
    kept = {key: value for key, value in labels.items() if event.labels.get(key, "") is not None}
    node = replace(node, labels=kept)
    state.put_node(node, durable=True)
    _tell(state, event, "node.labelled", f"labelled {node.name}", now)
    return node


def card_of(node: Node, text: str) -> CardUuid:
    """Return the card that an index or the beginning of a UUID names on this node."""
    found = [
        card.uuid
        for card in node.inventory.cards
        if text == str(card.index) or (len(text) > 3 and card.uuid.lower().startswith(text.lower()))
    ]
    if len(found) == 1:
        return CardUuid(found[0])
    have = ", ".join(f"{card.index} ({card.uuid[:12]})" for card in node.inventory.cards) or "none"
    fact = "is not one card" if found else "is no card"
    raise NotFound(f"{text} {fact} of {node.name}; it has: {have}")


def _card_words(node: Node, uuid: CardUuid) -> str:
    """Return the card by its index, as everything else names it, whatever the caller wrote."""
    index = next(card.index for card in node.inventory.cards if card.uuid == uuid)
    return f"card {index} of {node.name}"


def set_excluded(state: State, event: e.SetExcluded, now: float) -> Node:
    """Keep a card from being offered, or offer it again."""
    _admin(event.caller)
    node = node_named(state, event.node)
    card = card_of(node, event.card)
    excluded = node.excluded | {card} if event.excluded else node.excluded - {card}
    by = {uuid: who for uuid, who in node.excluded_by.items() if uuid != card}
    if event.excluded:
        by[card] = event.caller.user
    node = replace(node, excluded=excluded, excluded_by=by)
    state.put_node(node, durable=True)
    verb = "excluded" if event.excluded else "included"
    _tell(state, event, f"card.{verb}", f"{verb} {_card_words(node, card)}", now)
    return node


def clean_card(state: State, event: e.CleanCard, now: float) -> Node:
    """Let the node count what is on the card now as its idle level."""
    _admin(event.caller)
    node = node_named(state, event.node)
    card = card_of(node, event.card)
    if node.session is None:
        raise Conflict(f"{node.name} is not connected; try again once it is back")
    state.emit(CleanCard(node=node.name, card=card))
    words = f"vouched for {_card_words(node, card)}"
    _tell(state, event, "card.vouched", words, now)
    return node


def remove_node(state: State, event: e.RemoveNode, now: float) -> None:
    """Forget a node on which nothing is placed; it may join again."""
    _admin(event.caller)
    if forget_unseen(state, NodeName(event.node)):
        _tell(state, event, "node.removed", f"removed {event.node}", now)
        return
    node = node_named(state, event.node)
    if placed := state.placed.get(node.name):
        numbers = [job.number for job in placed.values()]
        raise Conflict(f"{node.name} still has jobs: {_some(numbers)}; drain it first")
    for pool in list(state.pools.values()):
        if node.name in pool.members:
            members = {n: cards for n, cards in pool.members.items() if n != node.name}
            state.put_pool(replace(pool, members=members))
    forget_node(state, node)
    if node.session is not None:
        text = f"{event.caller.user} removed {node.name}; it may join again"
        state.emit(TurnAway(session=node.session, code="removed", text=text))
    state.drop_node(node.name)
    _tell(state, event, "node.removed", f"removed {node.name}", now)


def confirm_dead(state: State, event: e.ConfirmDead, now: float) -> Node:
    """Take a person's word that the silent node's attempts have ended."""
    _admin(event.caller)
    node = node_named(state, event.node)
    if node.session is not None:
        raise Conflict(f"{node.name} is connected, so it is not dead; drain it instead")
    reason = r.ConfirmedDead(node=node.name, by=event.caller.user)
    for job in list(state.placed.get(node.name, {}).values()):
        settle(state, _unseen(job, now), _dead_verdict(job, reason), now)
    node = replace(node, offline=True, offline_since=node.offline_since or node.last_seen_at)
    state.put_node(node, durable=True)
    _tell(state, event, "node.confirmed_dead", f"confirmed that {node.name} is dead", now)
    return node


def _unseen(job: Job, now: float) -> Job:
    unknown = job if job.state is JobState.UNKNOWN else advance(job, Verb.NODE_SILENT)
    last = replace(unknown.attempts[-1], finished_at=now)
    return replace(unknown, attempts=(*unknown.attempts[:-1], last))


def _dead_verdict(job: Job, reason: r.ConfirmedDead) -> tuple[Verb, AnyReason]:
    if job.stop is not None and job.stop.preempted is not None:
        return Verb.STOPPED_TO_WAIT, job.stop.preempted
    if job.stop is not None:
        return (Verb.STOPPED if job.stop.why == "cancelled" else Verb.EXITED_BADLY), reason
    restart = job.spec.restart
    began = job.attempts[-1].started_at is not None
    again = not began or (restart.policy != "never" and job.retries_used < restart.retries)
    return (Verb.REQUEUED if again else Verb.EXITED_BADLY), reason


def _tell(state: State, event: e.Asked, kind: str, words: str, now: float) -> None:
    user = event.caller.user
    node = getattr(event, "node", None)
    state.journal(kind, f"{user} {words}", now, node=node, user=user)
