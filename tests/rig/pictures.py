"""Builders for what the console draws: a test names only what it is about."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from eaas.node_views import CardClaimView, CardProcessView, CardView, NodeView
from eaas.views import EventView, JobView, PoolNodeView, PoolView, QueueView
from eaas_tui.model.picture import Link, Picture, Samples

LIVE = Link(state="live", since=0.0)


def a_card(index: int = 0, *, node: str = "n1", **but: Any) -> CardView:
    """Return a free card of 80 GiB."""
    card = CardView(
        uuid=f"GPU-{node}-{index}",
        index=index,
        node=node,
        model="NVIDIA H100",
        state="free",
        simulated=False,
        offered=True,
        reason=None,
        memory_total_mib=81920,
        memory_used_mib=0,
        memory_claimed_mib=0,
        utilization_pct=0,
        temperature_c=30,
        power_w=60.0,
        claims=(),
        processes=(),
        sampled_at=None,
    )
    return replace(card, **but)


def a_held_card(
    index: int = 0, *, job: int = 42, user: str = "alice", load: int | None = 68, **but: Any
) -> CardView:
    """Return a card that a job has for itself and keeps busy."""
    claim = CardClaimView(job=job, attempt=1, user=user, memory_mib=None)
    held: dict[str, Any] = {
        "state": "held",
        "offered": False,
        "claims": (claim,),
        "utilization_pct": load,
        "memory_used_mib": 56320,
        "temperature_c": 61,
    }
    return a_card(index, **(held | but))


def a_process(user: str | None = "bob", **but: Any) -> CardProcessView:
    """Return a process from outside the pool."""
    process = CardProcessView(
        pid=4711, user=user, command="python", memory_mib=1024, container=None, job=None
    )
    return replace(process, **but)


def a_node(name: str = "n1", *cards: CardView, **but: Any) -> NodeView:
    """Return a node that is ready, with these cards."""
    node = NodeView(
        name=name,
        uid=f"uid-{name}",
        state="Ready",
        conditions=(),
        address="10.0.0.7",
        version="0.1.0",
        runtime="docker",
        engine="Docker 28.0",
        pools=("default",),
        labels={},
        cpus=64.0,
        cpus_used=8.0,
        memory_mib=262144,
        memory_used_mib=65536,
        boot_id="boot",
        last_seen_at="2025-06-01T10:00:00Z",
        cards=tuple(replace(card, node=name, uuid=f"GPU-{name}-{card.index}") for card in cards),
        jobs=(),
        images=(),
    )
    return replace(node, **but)


def a_queue(name: str = "default", *, pool: str = "default", **but: Any) -> QueueView:
    """Return an empty queue without caps."""
    unset: dict[str, Any] = dict.fromkeys(
        field for field in QueueView.__struct_fields__ if field.startswith("max_")
    )
    queue = QueueView(
        name=name,
        pool=pool,
        ref=f"{pool}/{name}",
        priority=0,
        paused=False,
        timeout_s=None,
        allow=(),
        preemptible=False,
        hold_after_s=None,
        idle_after_s=None,
        requeue_after_s=None,
        waiting=0,
        running=0,
        gpus_held=0,
        **unset,
    )
    return replace(queue, **but)


def a_pool(name: str, members: Iterable[NodeView], /, **but: Any) -> PoolView:
    """Return a pool with these nodes and all of their cards."""
    kept = list(members)
    states = [card.state for node in kept for card in node.cards]
    pool = PoolView(
        name=name,
        nodes=tuple(PoolNodeView(name=node.name, cards=None) for node in kept),
        queues=("default",),
        cards_total=len(states),
        cards_free=states.count("free"),
        cards_held=states.count("held") + states.count("shared"),
        cards_unavailable=len([s for s in states if s not in ("free", "held", "shared")]),
        waiting=0,
        running=0,
    )
    return replace(pool, **but)


def a_job(id: int = 42, **but: Any) -> JobView:
    """Return a job that waits for one card."""
    unset: dict[str, Any] = dict.fromkeys(JobView.__struct_fields__)
    about = {
        "id": id,
        "uid": f"uid-{id}",
        "ref": str(id),
        "name": f"job-{id}",
        "user": "alice",
        "pool": "default",
        "queue": "default",
        "state": "Pending",
        "priority": 0,
        "attempt": 0,
        "cards": (),
        "created_at": "2025-06-01T10:00:00Z",
        "spec": {"command": "python train.py", "gpus": 1},
        "attempts": (),
    }
    return JobView(**(unset | about | but))


def an_event(seq: int, kind: str = "job.submitted", text: str = "", **but: Any) -> EventView:
    """Return one line of the journal."""
    event = EventView(
        seq=seq, at="2025-06-01T10:00:00Z", kind=kind, text=text or kind, job=None, node=None,
        user=None,
    )  # fmt: skip
    return replace(event, **but)


def a_picture(*nodes: NodeView, **but: Any) -> Picture:
    """Return a live picture of these nodes, all in the pool ``default`` unless said otherwise."""
    picture = Picture(
        seq=1,
        link=LIVE,
        user="alice",
        is_admin=True,
        pools={"default": a_pool("default", nodes)},
        queues={"default/default": a_queue()},
        nodes={node.name: node for node in nodes},
    )
    return replace(picture, **but)


def a_big_picture(nodes: int, cards: int, *, seq: int = 0) -> Picture:
    """Return that many nodes, each with that many cards in many states; ``seq`` varies the load."""
    made = [
        a_node(f"node{at:02}", *(_some_card(at, index, seq) for index in range(cards)))
        for at in range(nodes)
    ]
    samples = {
        card.uuid: Samples(every_s=5.0, utilization_pct=(10, 50, 90) * 60, memory_pct=(5,) * 180)
        for node in made
        for card in node.cards
    }
    return a_picture(*made, samples=samples, seq=seq)


def _some_card(node: int, index: int, seq: int) -> CardView:
    name = f"node{node:02}"
    match (node * 7 + index) % 11:
        case 0:
            return a_card(index, node=name)
        case 1:
            return a_held_card(index, node=name, state="shared", load=(seq * 3 + index) % 101)
        case 2:
            return a_card(index, node=name, state="foreign", processes=(a_process(),))
        case _:
            return a_held_card(index, node=name, load=(node * 13 + index * 29 + seq * 7) % 101)
