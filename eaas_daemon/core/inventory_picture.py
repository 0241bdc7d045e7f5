"""Nodes, cards, pools and queues as views: pure, from one state at one moment."""

from collections.abc import Iterator

from eaas import reasons as r
from eaas.ids import CardUuid, JobUid
from eaas.lifecycle import CardState, NodeState
from eaas.node_views import (
    CARD_SETTLING,
    CardClaimView,
    CardProcessView,
    CardView,
    ImageView,
    MountView,
    NodeView,
)
from eaas.sentences import sentence
from eaas.units import moment_text, utc_text
from eaas.views import ConditionView, PoolNodeView, PoolUserView, PoolView, QueueView, ReasonView
from eaas.wire.from_agent import CardReport, Inventory, NamedMount
from eaas_daemon.core import links
from eaas_daemon.core.adoption import orphans_text
from eaas_daemon.core.ask import ask_of
from eaas_daemon.core.booking_picture import booked_now, booked_reason, card_bookings
from eaas_daemon.core.card_claims import claimed_mib, may_join, owners_of, share_of
from eaas_daemon.core.card_links import card_links
from eaas_daemon.core.fit import cards_in, unfit
from eaas_daemon.core.model import Job, Node, Pool, Queue, Reservation
from eaas_daemon.core.picture import time_text
from eaas_daemon.core.reserve import is_coming
from eaas_daemon.core.state import State


def node_state(state: State, node: Node) -> NodeState:
    """Return what the node is: the first that holds."""
    if node.needs_upgrade is not None:
        return NodeState.NEEDS_UPGRADE
    if node.offline or node.session is None:
        return NodeState.OFFLINE
    if node.draining:
        return NodeState.DRAINING
    if not pools_of(state, node):
        return NodeState.UNASSIGNED
    return NodeState.READY


def pools_of(state: State, node: Node) -> tuple[str, ...]:
    """Return the names of the pools the node is in."""
    return tuple(sorted(name for name, pool in state.pools.items() if node.name in pool.members))


def node_view(state: State, node: Node) -> NodeView:
    """Return the node with its cards."""
    jobs = sorted(state.placed.get(node.name, {}).values(), key=lambda job: job.number)
    used = sum(ask_of(job).cpus_milli for job in jobs) / 1000
    inventory = node.inventory
    return NodeView(
        name=node.name,
        uid=node.uid,
        state=node_state(state, node),
        conditions=(*_conditions(state, node), *links.conditions(node, state.last_tick_at or 0.0)),
        address=node.address,
        version=node.version,
        runtime=inventory.runtime,
        engine=inventory.engine,
        pools=pools_of(state, node),
        labels=node.all_labels,
        cpus=inventory.cpus,
        cpus_used=used,
        memory_mib=inventory.memory_mib,
        memory_used_mib=node.memory_used_mib,
        boot_id=node.boot_id,
        last_seen_at=time_text(node.last_seen_at),
        last_end=links.end_view(node),
        cards=tuple(card_view(state, node, card) for card in node.cards),
        jobs=tuple(job.number for job in jobs),
        job_refs=tuple(job.called for job in jobs),
        images=tuple(
            ImageView(name=image.name, digest=image.digest, size_mib=image.size_mib)
            for image in inventory.images
        ),
        mounts=tuple(_mount(mount, inventory) for mount in inventory.named_mounts),
        links=card_links(node),
    )


def _mount(mount: NamedMount, inventory: Inventory) -> MountView:
    plain = inventory.runtime == "process"
    reason = "plain processes can't have mounts" if plain else mount.unavailable
    return MountView(
        name=mount.name,
        read_only=mount.read_only,
        available=reason is None,
        reason=reason,
        users=mount.users,
        queues=mount.queues,
        per_user=mount.per_user,
    )


def _conditions(state: State, node: Node) -> Iterator[ConditionView]:
    for code, trouble in (
        ("revoked", node.revoked),
        ("obeys_another", node.obeys_another),
        ("twin", node.twin),
    ):
        if trouble is not None:
            yield ConditionView(code=code, text=trouble.text, since=utc_text(trouble.since))
    since = utc_text(node.last_seen_at or 0)
    if node.needs_upgrade is not None:
        yield ConditionView(code="needs_upgrade", text=node.needs_upgrade, since=since)
    if (orphans := orphans_text(state, node.name)) is not None:
        yield ConditionView(code="orphans", text=orphans, since=since)
    for code, text in node.inventory.faults:
        yield ConditionView(code=code, text=text, since=since)


def card_view(state: State, node: Node, card: CardReport) -> CardView:
    """Return the card as the pool sees it: its node's judgement, and who owns it."""
    owners = owners_of(state, node.name, card.uuid)
    shown, reason = _card_state(state, node, card, owners)
    return CardView(
        uuid=card.uuid,
        index=card.index,
        node=node.name,
        model=card.model,
        state=shown,
        simulated=card.simulated,
        offered=_is_offered(state, node, card, shown),
        reason=reason,
        memory_total_mib=card.memory_total_mib,
        memory_used_mib=card.memory_used_mib,
        memory_claimed_mib=claimed_mib(card, owners),
        utilization_pct=card.utilization_pct,
        temperature_c=card.temperature_c,
        power_w=card.power_w,
        claims=tuple(_claim(job, card) for job in owners),
        processes=tuple(_processes(state, card)),
        sampled_at=time_text(node.sampled_at),
        bookings=card_bookings(state, card),
    )


def card_standing(state: State, node: Node, card: CardReport) -> tuple[CardState, bool]:
    """Return the card's state and whether it is offered, which is all that the pool counts."""
    shown, _ = _card_state(state, node, card, owners_of(state, node.name, card.uuid))
    return shown, _is_offered(state, node, card, shown)


def _is_offered(state: State, node: Node, card: CardReport, shown: CardState) -> bool:
    if shown not in (CardState.FREE, CardState.SHARED) or unfit(node, None) is not None:
        return False
    if shown is CardState.SHARED and not may_join(state, node, card):
        return False
    if booked_now(state, card) is not None:
        return False
    kept = _kept(state, node, card)
    return kept is None or kept.at is not None


def _kept(state: State, node: Node, card: CardReport) -> Reservation | None:
    """Return for whom the free card is kept."""
    return next(
        (
            kept
            for kept in state.every_reservation()
            if node.name in kept.nodes and card.uuid in kept.cards
        ),
        None,
    )


def _kept_view(kept: Reservation) -> ReasonView:
    who = f"job {kept.number} of {kept.user}"
    text = f"kept for {who}"
    if kept.at is not None:
        text = (
            f"{text}, which starts by {moment_text(kept.at)}; shorter jobs may have it until then"
        )
    return ReasonView(code="card_reserved", text=text)


def _card_state(
    state: State, node: Node, card: CardReport, owners: list[Job]
) -> tuple[CardState, ReasonView | None]:
    if node.offline or node.session is None:
        return _because(CardState.UNKNOWN, "its node is silent")
    if card.state == "sick":
        return _because(CardState.SICK, card.text)
    is_excluded = card.uuid in node.excluded
    if owners:
        shared = owners[0].spec.share
        shown = CardState.SHARED if shared else CardState.HELD
        if is_excluded:
            return shown, _excluded(node, card)
        if shared and (kept := _kept(state, node, card)) is not None:
            return shown, _kept_view(kept)
        booked = booked_reason(state, card, is_held=True)
        return _because(shown, card.text) if shared and card.text else (shown, booked)
    if is_excluded:
        return CardState.EXCLUDED, _excluded(node, card)
    if card.state == "held" or (card.state == "free" and CardUuid(card.uuid) in state.cooling):
        return CardState.DIRTY, _not_clean(state, node, card)
    shown = CardState(card.state)
    if shown is CardState.FREE and (shut := unfit(node, None)) is not None:
        return shown, _shut(node, shut)
    if shown is CardState.FREE and (kept := _kept(state, node, card)) is not None:
        return shown, _kept_view(kept)
    booked = booked_reason(state, card, is_held=False) if shown is CardState.FREE else None
    return (shown, booked) if booked else _because(shown, card.text)


def _not_clean(state: State, node: Node, card: CardReport) -> ReasonView:
    """Return why a card that nobody holds is not free: mostly its job has only just left it."""
    released_at = state.cooling.get(CardUuid(card.uuid))
    if released_at is not None and is_coming(node, released_at):
        text = "released a moment ago and not seen clean yet"
        return ReasonView(code=CARD_SETTLING, text=text)
    return ReasonView(code="card_dirty", text="not seen clean since a job left it")


def _because(shown: CardState, text: str | None) -> tuple[CardState, ReasonView | None]:
    return shown, None if text is None else ReasonView(code=f"card_{shown}", text=text)


def _excluded(node: Node, card: CardReport) -> ReasonView:
    who = node.excluded_by.get(CardUuid(card.uuid), "a person")
    return ReasonView(code="card_excluded", text=f"excluded by {who}")


def _shut(node: Node, reason: r.NodeReason) -> ReasonView:
    """Return why a free card is not offered all the same: its node takes no work."""
    text = sentence(reason)
    if isinstance(reason, r.NodeDraining):
        text = "its node is draining"
    elif node.twin is not None and isinstance(reason, r.NodeFaulty):
        text = f"its node has a twin: mini-eaas node show {node.name}"
    return ReasonView(code=reason.code, text=text)


def _claim(job: Job, card: CardReport) -> CardClaimView:
    return CardClaimView(
        job=job.number,
        attempt=job.attempts[-1].number,
        user=job.user,
        memory_mib=share_of(job, card.uuid),
        ref=job.called,
    )


def _processes(state: State, card: CardReport) -> Iterator[CardProcessView]:
    for process in card.processes or ():
        job = None if process.uid is None else state.jobs.get(JobUid(process.uid))
        yield CardProcessView(
            pid=process.pid,
            user=process.user,
            command=process.command,
            memory_mib=process.memory_mib,
            container=process.container,
            job=None if job is None else job.number,
        )


def pool_view(state: State, pool: Pool) -> PoolView:
    """Return the pool with its counts."""
    nodes = [state.nodes[name] for name in pool.members if name in state.nodes]
    cards = [card_standing(state, node, card) for node in nodes for card in cards_in(node, pool)]
    queues = sorted(queue.name for queue in state.queues.values() if queue.pool == pool.name)
    held = sum(shown in (CardState.HELD, CardState.SHARED) for shown, _ in cards)
    free = sum(shown is CardState.FREE and is_offered for shown, is_offered in cards)
    return PoolView(
        name=pool.name,
        nodes=tuple(
            PoolNodeView(name=name, cards=members) for name, members in pool.members.items()
        ),
        queues=tuple(queues),
        cards_total=len(cards),
        cards_free=free,
        cards_held=held,
        cards_unavailable=len(cards) - free - held,
        waiting=sum(state.waiting(f"{pool.name}/{name}") for name in queues),
        running=sum(state.held.of_queue(f"{pool.name}/{name}").jobs for name in queues),
        max_gpus_per_user=pool.max_gpus_per_user,
        half_life_s=pool.half_life_s,
        users=tuple(_users(state, pool)),
    )


def _users(state: State, pool: Pool) -> Iterator[PoolUserView]:
    minutes = dict.fromkeys(state.held.users_of(pool.name), 0)
    minutes |= {user: used for (name, user), used in state.standing.items() if name == pool.name}
    for user in sorted(minutes, key=lambda user: (minutes[user], user)):
        held = state.held.of_pool_user(pool.name, user)
        yield PoolUserView(
            user=user,
            running=held.jobs,
            gpus_held=held.gpus,
            card_hours=round(minutes[user] / 60, 1),
        )


def queue_view(state: State, queue: Queue) -> QueueView:
    """Return the queue with its counts."""
    held = state.held.of_queue(queue.ref)
    return QueueView(
        name=queue.name,
        pool=queue.pool,
        ref=queue.ref,
        priority=queue.priority,
        paused=queue.paused,
        max_running=queue.max_running,
        max_gpus=queue.max_gpus,
        max_pending=queue.max_pending,
        max_per_user=queue.max_per_user,
        max_gpus_per_user=queue.max_gpus_per_user,
        max_priority=queue.max_priority,
        timeout_s=queue.timeout_s,
        max_timeout_s=queue.max_timeout_s,
        allow=tuple(queue.allow),
        preemptible=queue.preemptible,
        hold_after_s=queue.hold_after_s,
        idle_after_s=None,
        requeue_after_s=None,
        waiting=state.waiting(queue.ref),
        running=held.jobs,
        gpus_held=held.gpus,
    )
