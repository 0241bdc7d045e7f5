"""What people see of pools, queues, nodes and cards."""

from collections.abc import Iterable, Sequence

from eaas.cli.draw_closeness import closeness
from eaas.cli.output import Block, Facts, Lines, Table
from eaas.cli.words import (
    ago,
    link_end,
    link_end_from,
    many,
    model,
    moment,
    mount,
    percent,
    size,
    yes_no,
)
from eaas.lifecycle import DEFAULT_HOLD_AFTER_S, CardState, NodeState
from eaas.node_views import CardClaimView, CardView, NodeView
from eaas.units import format_duration
from eaas.views import EventView, FolderCountsView, PoolNodeView, PoolView, QueueView, StatusView

MOST_OF_A_BUT = 80
NO_CARDS = "no card in any node; mini-eaas node list shows the nodes"


def status_card(status: StatusView) -> Iterable[Block]:
    """Yield the controller in one glance, and what is wrong with the whole."""
    if status.conditions:
        yield Lines([f"{one.code} for {ago(one.since)}: {one.text}" for one in status.conditions])
    yield Facts(
        [
            ("controller", f"{status.version}, up for {ago(status.started_at)}"),
            ("pools", str(status.pools)),
            ("nodes", f"{status.nodes_ready} of {status.nodes} ready"),
            ("cards", f"{status.cards_free} of {status.cards_total} free"),
            ("jobs", f"{status.running} running, {status.waiting} waiting"),
            ("folders", _folders(status.folders)),
            ("you", f"{status.user} ({status.role})"),
            ("home", status.home),
            ("address", status.address),
        ]
    )


def _folders(counts: FolderCountsView | None) -> str | None:
    if counts is None or not counts.watched:
        return None
    said = [f"{counts.watched} watched"]
    if counts.wrong:
        said.append(f"something is wrong with {counts.wrong}: mini-eaas folder list")
    if counts.left:
        said.append(f"{many(counts.left, 'thing')} left lying")
    return ", ".join(said)


def card_table(cards: Sequence[CardView]) -> Table:
    """Return one line a card: who has a free one, and who has the others."""
    columns = ("NODE", "CARD", "MODEL", "STATE", "HELD BY", "MEMORY", "LOAD", "TEMP", "WHY")
    return Table(columns, [_card_row(card) for card in cards], when_empty=NO_CARDS)


def node_table(nodes: Sequence[NodeView]) -> Table:
    """Return the list of nodes."""
    columns = ("NODE", "STATE", "POOLS", "RUNTIME", "CARDS", "CPUS", "MEMORY", "JOBS", "BUT")
    return Table(
        columns,
        [_node_row(node) for node in nodes],
        when_empty="no node yet; mini-eaas up makes this machine one",
    )


def node_card(node: NodeView) -> Iterable[Block]:
    """Yield everything about one node."""
    yield Facts(
        [
            ("node", node.name),
            ("state", node.state),
            ("pools", ", ".join(node.pools) or _no_pool(node)),
            ("address", node.address),
            ("runtime", _runtime(node)),
            ("version", node.version),
            ("labels", ", ".join(f"{key}={value}" for key, value in node.labels.items()) or None),
            ("cpus", _free(node.cpus_used, node.cpus)),
            ("memory", _used_memory(node.memory_used_mib, node.memory_mib)),
            ("jobs", ", ".join(node.shown_jobs) or None),
            ("last seen", None if node.last_seen_at is None else f"{ago(node.last_seen_at)} ago"),
            ("last connection", link_end_from(node.last_end)),
            ("boot", node.boot_id),
            ("uid", node.uid),
        ]
    )
    if node.conditions:
        yield Lines([f"{one.code} for {ago(one.since)}: {one.text}" for one in node.conditions])
    if node.cards:
        yield card_table(node.cards)
        yield from closeness(node)
    if node.mounts:
        yield Table(("MOUNT", "FOR", "MODE", "AVAILABLE"), [mount(one) for one in node.mounts])
    if node.images:
        rows = [(image.name, size(image.size_mib), image.digest) for image in node.images]
        yield Table(("IMAGE", "SIZE", "DIGEST"), rows)


def _no_pool(node: NodeView) -> str:
    return f"none, so nothing runs here: mini-eaas pool add POOL {node.name}"


def pool_table(pools: Sequence[PoolView]) -> Table:
    """Return the list of pools."""
    columns = ("POOL", "NODES", "QUEUES", "CARDS", "FREE", "HELD", "OUT", "RUNNING", "WAITING")
    rows = [
        (
            pool.name,
            ", ".join(map(_pool_node, pool.nodes)),
            ", ".join(pool.queues),
            *map(str, (pool.cards_total, pool.cards_free, pool.cards_held)),
            *map(str, (pool.cards_unavailable, pool.running, pool.waiting)),
        )
        for pool in pools
    ]
    return Table(columns, rows, when_empty="no pool yet; mini-eaas pool create NAME makes one")


def pool_users(pool: PoolView) -> Iterable[Block]:
    """Yield what users may have of a pool, and what each has had of late."""
    cap = pool.max_gpus_per_user
    limit = "any number of cards" if cap is None else many(cap, "card")
    yield Lines(
        [f"one user may hold {limit}; use counts half after {format_duration(pool.half_life_s)}"]
    )
    columns = ("USER", "RUNNING", "GPUS", "CARD-HOURS")
    rows = [
        (user.user, str(user.running), str(user.gpus_held), f"{user.card_hours:g}")
        for user in pool.users
    ]
    yield Table(columns, rows, when_empty="nobody has used a card of it lately")


def queue_table(queues: Sequence[QueueView]) -> Table:
    """Return the list of queues."""
    columns = ("QUEUE", "PRIORITY", "STATE", "RUNNING", "WAITING", "GPUS", "LIMITS")
    rows = [
        (
            queue.ref,
            str(queue.priority),
            "paused" if queue.paused else "open",
            str(queue.running),
            str(queue.waiting),
            str(queue.gpus_held),
            ", ".join(f"{name} {value}" for name, value in _limits(queue)) or None,
        )
        for queue in queues
    ]
    return Table(columns, rows, when_empty="no queue yet; a pool is made with one")


def queue_facts(queue: QueueView) -> Facts:
    """Return everything about one queue."""
    return Facts(
        [
            ("queue", queue.ref),
            ("priority", str(queue.priority)),
            ("paused", yes_no(queue.paused)),
            ("running", str(queue.running)),
            ("waiting", str(queue.waiting)),
            ("GPUs held", str(queue.gpus_held)),
            *_limits(queue),
        ]
    )


def event_line(event: EventView) -> str:
    """Return one line of the journal."""
    return f"{moment(event.at)}  {event.text}"


def _card_row(card: CardView) -> tuple[str | None, ...]:
    return (
        card.node,
        str(card.index),
        model(card),
        card.state,
        _holders(card),
        _card_memory(card),
        percent(card.utilization_pct),
        None if card.temperature_c is None else f"{card.temperature_c}°C",
        None if card.reason is None else card.reason.text,
    )


def _holders(card: CardView) -> str | None:
    held = [_holder(claim) for claim in card.claims]
    if not held and card.state == CardState.FOREIGN:
        held = [
            f"{process.user or 'somebody'} (pid {process.pid} {process.command or ''})"
            for process in card.processes
        ]
    return ", ".join(held) or None


def _holder(claim: CardClaimView) -> str:
    share = "" if claim.memory_mib is None else f": {size(claim.memory_mib)}"
    return f"{claim.user} (job {claim.shown}{share})"


def _card_memory(card: CardView) -> str | None:
    """Return what is in use, and of a shared card what its jobs declared."""
    text = _used_memory(card.memory_used_mib, card.memory_total_mib)
    if text is None or card.state != CardState.SHARED:
        return text
    return f"{text}, {size(card.memory_claimed_mib)} declared"


def _node_row(node: NodeView) -> tuple[str | None, ...]:
    return (
        node.name,
        node.state,
        ", ".join(node.pools) or None,
        _runtime(node),
        _card_counts(node.cards),
        _free(node.cpus_used, node.cpus),
        _used_memory(node.memory_used_mib, node.memory_mib),
        ", ".join(node.shown_jobs) or None,
        "; ".join(map(_capped, _buts(node))) or None,
    )


def _buts(node: NodeView) -> Iterable[str]:
    """Yield what is to be known before one counts on the node."""
    if node.state == NodeState.OFFLINE and (end := link_end(node.last_end)) is not None:
        yield end
    yield from (one.text for one in node.conditions)


def _capped(text: str) -> str:
    """Return the text as far as a list has room for it; `node show` has all of it."""
    return text if len(text) <= MOST_OF_A_BUT else f"{text[: MOST_OF_A_BUT - 1].rstrip()}…"


def _card_counts(cards: Sequence[CardView]) -> str:
    if not cards:
        return "none"
    simulated = " (simulated)" if all(card.simulated for card in cards) else ""
    free = sum(card.state == CardState.FREE and card.offered for card in cards)
    return f"{free} of {len(cards)} free{simulated}"


def _runtime(node: NodeView) -> str | None:
    return f"{node.runtime} ({node.engine})" if node.runtime and node.engine else node.runtime


def _free(used: float, total: float | None) -> str | None:
    return None if total is None else f"{total - used:g} of {total:g} free"


def _used_memory(used_mib: int | None, total_mib: int | None) -> str | None:
    if total_mib is None:
        return None
    return f"{size(used_mib) or '?'} of {size(total_mib)}"


def _pool_node(node: PoolNodeView) -> str:
    return node.name if node.cards is None else f"{node.name} ({many(len(node.cards), 'card')})"


def _limits(queue: QueueView) -> list[tuple[str, str]]:
    """Return the limits that are set, in the words of the flags."""
    durations = {"timeout": queue.timeout_s, "max timeout": queue.max_timeout_s}
    counts = {
        "max running": queue.max_running,
        "max GPUs": queue.max_gpus,
        "max pending": queue.max_pending,
        "max per user": queue.max_per_user,
        "max GPUs per user": queue.max_gpus_per_user,
        "max priority": queue.max_priority,
    }
    found = [(name, str(value)) for name, value in counts.items() if value is not None]
    found += [(name, format_duration(value)) for name, value in durations.items() if value]
    if queue.hold_after_s != DEFAULT_HOLD_AFTER_S:
        after = "never" if queue.hold_after_s is None else format_duration(queue.hold_after_s)
        found.append(("hold after", after))
    if queue.preemptible:
        found.append(("preemptible", "yes"))
    if queue.allow:
        found.append(("allow", ", ".join(queue.allow)))
    return found
