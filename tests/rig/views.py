"""Builders for what the stream shows: a test names only what it is about."""

from typing import Any

from eaas.booking_views import BookingView
from eaas.lifecycle import ENDED, JobState
from eaas.node_views import CardClaimView, CardView, NodeView
from eaas.units import utc_text
from eaas.views import (
    AttemptView,
    EventView,
    HeldCardView,
    JobView,
    LogView,
    PoolNodeView,
    PoolView,
    QueueView,
    ReasonView,
)
from eaas.wire.to_client import Changes, Readings, Snapshot

AT = 1_767_225_600.0
"""When everything in these views happens: 2026-01-01, midnight in UTC."""


def a_reason(code: str = "too_few_free_cards", text: str | None = None) -> ReasonView:
    """Return a reason."""
    return ReasonView(code=code, text=text or "n1 has 0 free cards, 1 asked for")


def a_held_card(index: int | None = 0, node: str = "n1", **but: Any) -> HeldCardView:
    """Return a card as the job that has it shows it."""
    return HeldCardView(
        **{"uuid": f"GPU-{node}-{index}", "index": index, "memory_mib": None, **but}
    )


def an_attempt(number: int = 1, **but: Any) -> AttemptView:
    """Return an attempt that runs."""
    values: dict[str, Any] = {
        "number": number,
        "state": "Running",
        "node": "n1",
        "cards": (a_held_card(),),
        "container_id": "c0ffee",
        "created_at": utc_text(AT - 60),
        "started_at": utc_text(AT - 50),
        "finished_at": None,
        "exit_code": None,
        "oom_killed": None,
        "reason": None,
        "log": LogView(stdout_bytes=100, stderr_bytes=0, gap_bytes=0, complete=False),
    }
    return AttemptView(**{**values, **but})


def a_job(id: int = 1, state: str = JobState.PENDING, **but: Any) -> JobView:
    """Return a job in that state, with what belongs to it."""
    waits, ended = state == JobState.PENDING, state in ENDED
    values: dict[str, Any] = {
        "id": id,
        "uid": f"018f-{id:08}",
        "ref": str(id),
        "array_index": None,
        "name": f"job-{id}",
        "user": "alice",
        "pool": "default",
        "queue": "default",
        "state": str(state),
        "phase": None,
        "reason": a_reason() if waits else None,
        "position": id if waits else None,
        "priority": 0,
        "attempt": 0 if waits else 1,
        "node": None if waits else "n1",
        "cards": () if waits else (a_held_card(),),
        "exit_code": {"Succeeded": 0, "Failed": 1}.get(state),
        "oom_killed": False if ended else None,
        "created_at": utc_text(AT - 120),
        "started_at": None if waits else utc_text(AT - 50),
        "finished_at": utc_text(AT - 10) if ended else None,
        "run_s": None if waits else 40.0 if ended else 50.0,
        "timeout_s": None,
        "image_digest": None,
        "spec": {"image": "pytorch/pytorch:latest", "command": "python train.py", "gpus": 1},
        "attempts": () if waits else (an_attempt(),),
    }
    return JobView(**{**values, **but})


def a_card(index: int = 0, node: str = "n1", **but: Any) -> CardView:
    """Return a free card of 24 GiB."""
    values: dict[str, Any] = {
        "uuid": f"GPU-{node}-{index}",
        "index": index,
        "node": node,
        "model": "NVIDIA GeForce RTX 3090",
        "state": "free",
        "simulated": False,
        "offered": but.get("state", "free") == "free",
        "reason": None,
        "memory_total_mib": 24576,
        "memory_used_mib": 1,
        "memory_claimed_mib": 0,
        "utilization_pct": 0,
        "temperature_c": 31,
        "power_w": 22.5,
        "claims": (),
        "processes": (),
        "sampled_at": utc_text(AT),
    }
    return CardView(**{**values, **but})


def a_claim(job: int, user: str = "alice", **but: Any) -> CardClaimView:
    """Return a job's claim on a whole card."""
    return CardClaimView(**{"job": job, "attempt": 1, "user": user, "memory_mib": None, **but})


def a_node(name: str = "n1", *cards: CardView, **but: Any) -> NodeView:
    """Return a node that is ready."""
    values: dict[str, Any] = {
        "name": name,
        "uid": f"uid-{name}",
        "state": "Ready",
        "conditions": (),
        "address": "10.0.0.1",
        "version": "0.1.0",
        "runtime": "docker",
        "engine": "Docker 28.0",
        "pools": ("default",),
        "labels": {},
        "cpus": 64.0,
        "cpus_used": 8.0,
        "memory_mib": 262144,
        "memory_used_mib": 65536,
        "boot_id": "boot",
        "last_seen_at": utc_text(AT),
        "cards": cards,
        "jobs": (),
        "images": (),
    }
    return NodeView(**{**values, **but})


def a_queue(name: str = "default", pool: str = "default", **but: Any) -> QueueView:
    """Return a queue without limits."""
    limits = (
        "max_running max_gpus max_pending max_per_user max_gpus_per_user max_priority timeout_s "
        "max_timeout_s hold_after_s idle_after_s requeue_after_s"
    )
    values: dict[str, Any] = {
        **dict.fromkeys(limits.split()),
        "name": name,
        "pool": pool,
        "ref": f"{pool}/{name}",
        "priority": 0,
        "paused": False,
        "allow": (),
        "hold_after_s": 600.0,
        "preemptible": False,
        "waiting": 0,
        "running": 0,
        "gpus_held": 0,
    }
    return QueueView(**{**values, **but})


def a_pool(name: str = "default", *nodes: str, **but: Any) -> PoolView:
    """Return a pool of these nodes with one queue."""
    values: dict[str, Any] = {
        "name": name,
        "nodes": tuple(PoolNodeView(name=node, cards=None) for node in nodes),
        "queues": ("default",),
        **dict.fromkeys(("cards_total", "cards_free", "cards_held", "cards_unavailable"), 0),
        "waiting": 0,
        "running": 0,
    }
    return PoolView(**{**values, **but})


def a_booking(id: int = 1, **but: Any) -> BookingView:
    """Return a booking that bob has from in an hour on, for an hour."""
    values: dict[str, Any] = {
        **dict.fromkeys(("queue", "gpu_type", "note")),
        "id": id,
        "pool": "default",
        "gpus": 4,
        "user": "bob",
        "state": "ahead",
        "start": utc_text(AT + 3600),
        "end": utc_text(AT + 7200),
        "created_by": "root",
        "created_at": utc_text(AT),
        "cards": (),
        "missing": 1,
        "text": "3 of 4 cards are bob's",
    }
    return BookingView(**{**values, **but})


def an_event(seq: int, text: str = "job 1 was submitted", **but: Any) -> EventView:
    """Return one line of the journal."""
    values: dict[str, Any] = {
        "seq": seq,
        "at": utc_text(AT + seq),
        "kind": "job.submitted",
        "text": text,
        "job": 1,
        "node": None,
        "user": "alice",
    }
    return EventView(**{**values, **but})


def a_snapshot(seq: int = 1, **but: Any) -> Snapshot:
    """Return a snapshot of an installation in which there is nothing."""
    empty = dict.fromkeys(("pools", "queues", "nodes", "jobs"), ())
    return Snapshot(**{"seq": seq, "epoch": 1, "at": utc_text(AT), **empty, **but})


def changes(seq: int, **what: Any) -> Changes:
    """Return the changes that follow the number before."""
    return Changes(**{"after": seq - 1, "seq": seq, "at": utc_text(AT), **what})


def readings(node: str, *cards: CardView, **but: Any) -> Readings:
    """Return fresh numbers of a node."""
    values = {"at": utc_text(AT), "node": node, "cpus_used": 4.0, "memory_used_mib": 1024}
    return Readings(**{**values, "cards": cards, **but})
