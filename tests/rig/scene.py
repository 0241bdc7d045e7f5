"""A pool that lives: nodes, cards and jobs that move by a seeded chance, and the frames of it.

Knows nothing of the controller; it only says what a controller would, so that pictures of any
size and with any trouble can be made in a moment.
"""

from collections.abc import Iterable
from random import Random
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from eaas.booking_views import BookedCardView, BookingView, CardBookingView
from eaas.lifecycle import ENDED, PLACED, JobState
from eaas.node_views import CardView, NodeView
from eaas.units import utc_text
from eaas.views import EventView, JobView, PoolNodeView, PoolUserView, PoolView, QueueView
from eaas.wire.to_client import AnyToClient, Changes, Readings, Snapshot
from eaas_tui.recording import Recorded
from tests.rig.views import (
    AT,
    a_booking,
    a_card,
    a_claim,
    a_held_card,
    a_job,
    a_node,
    a_pool,
    a_queue,
    a_reason,
    an_attempt,
    an_event,
)

_ENDINGS: Final = MappingProxyType(
    {
        "Succeeded": "exited with code 0",
        "Failed": "exited with code 1",
        "Cancelled": "was cancelled by its owner",
        "TimedOut": "reached its timeout",
    }
)
_OF_ATTEMPTS: Final = frozenset({"exit_code", "reason", "oom_killed"})


def _booked(card: CardView) -> BookedCardView:
    """Return how the card stands to a booking: one that a job has is not there in time."""
    job = card.claims[0].job if card.claims else None
    return BookedCardView(
        uuid=card.uuid,
        index=card.index,
        node=card.node,
        ready=job is None,
        job=job,
        free_at=None,
        text=None if job is None else f"is held by job {job} without a timeout",
    )


class Scene:
    """Whatever is done to it is told by the next ``step``."""

    def __init__(self, seed: int, *, at: float = AT, user: str = "alice") -> None:
        self.chance = Random(seed)
        self.at = at
        self.user = user
        self.seq = 100
        self.nodes: dict[str, NodeView] = {}
        self.jobs: dict[int, JobView] = {}
        self.queues: dict[str, QueueView] = {}
        self.bookings: dict[int, BookingView] = {}
        self.recorded: list[Recorded] = []
        self._next = 1
        self._said_seq = self.seq
        self._changed: set[int] = set()
        self._moved: set[str] = set()
        self._events: list[EventView] = []

    # --- what there is

    def node(self, name: str, cards: int, *, pool: str = "default", **but: Any) -> None:
        """Let a node join the pool."""
        self.queue("default", pool)
        kind = {
            "memory_total_mib": but.pop("gib", 24) * 1024,
            "model": but.pop("model", "RTX 3090"),
        }
        listed = (a_card(index, name, **kind) for index in range(cards))
        self.nodes[name] = a_node(name, *listed, pools=(pool,), **but)
        self._moved.add(name)

    def queue(self, name: str, pool: str = "default", **but: Any) -> None:
        """Make a queue, unless it is there."""
        self.queues.setdefault(f"{pool}/{name}", a_queue(name, pool, **but))

    def submit(self, user: str, name: str | None = None, gpus: int = 1, **but: Any) -> int:
        """Let somebody submit a job; return its number."""
        id, self._next = self._next, self._next + 1
        spec = {
            "name": name,
            "image": "pytorch/pytorch:2.8",
            "command": "python train.py --config configs/base.yaml",
            "gpus": gpus,
            **but.pop("spec", {}),
        }
        values = {"created_at": utc_text(self.at), "position": None, "reason": None, **but}
        self._put(a_job(id, user=user, name=name, spec=spec, **values))
        self.tell("job.submitted", f"{user} submitted job {id}", job=id, user=user)
        return id

    def start(self, id: int, ran_s: float = 0.0) -> bool:
        """Let a job run on the first node with room for it; False if there is none."""
        job = self.jobs[id]
        asked = job.spec["gpus"]
        for node in self.nodes.values():
            free = [card for card in node.cards if card.state == "free"][:asked]
            if job.pool in node.pools and node.state == "Ready" and len(free) == asked:
                self._place(job, node, free, ran_s)
                return True
        return False

    def end(self, id: int, state: str = JobState.SUCCEEDED, **but: Any) -> None:
        """Let a running job end."""
        job = self.jobs[id]
        self._let_go(job)
        ran_s = round(self.chance.uniform(10, 4000), 1)
        values = {"exit_code": {"Succeeded": 0, "Failed": 1}.get(state), **but}
        values |= {"state": str(state), "finished_at": utc_text(self.at)}
        shared = {
            key: values[key] for key in values if key in ("exit_code", "reason", "oom_killed")
        }
        attempts = tuple(
            replace(one, state=str(state), finished_at=utc_text(self.at), **shared)
            for one in job.attempts
        )
        self._put(replace(job, phase=None, position=None, run_s=ran_s, attempts=attempts, **values))
        told = {"job": id, "node": job.node, "user": job.user}
        self.tell(f"job.{state.lower()}", f"job {id} is {state}: {_ENDINGS[state]}", **told)

    def book(self, node: str, cards: int, in_s: float, for_s: float, **but: Any) -> BookingView:
        """Let the first cards of a node be booked; one with a job is not there in time."""
        booked = tuple(map(_booked, self.nodes[node].cards[:cards]))
        view = a_booking(
            **{
                "gpus": cards,
                "start": utc_text(self.at + in_s),
                "end": utc_text(self.at + for_s),
                "cards": booked,
                "missing": sum(not card.ready for card in booked),
                "text": f"{cards} cards of pool default are booked",
                **but,
            }
        )
        self.bookings[view.id] = view
        for card in view.cards:
            mark = CardBookingView(
                id=view.id,
                whose=but.get("user") or "queue default/class",
                start=view.start,
                end=view.end,
            )
            shown = next(one for one in self.nodes[node].cards if one.uuid == card.uuid)
            text = f"booked for {mark.whose}"
            self.alter_card(
                node,
                card.index,
                offered=shown.offered and view.state == "ahead",
                bookings=(*shown.bookings, mark),
                reason=a_reason("booking", text),
            )
        return view

    def alter_job(self, id: int, **but: Any) -> None:
        """Change a job's own fields."""
        self._put(replace(self.jobs[id], **but))

    def alter_node(self, name: str, **but: Any) -> None:
        """Change a node's own fields."""
        self.nodes[name] = replace(self.nodes[name], **but)
        self._moved.add(name)

    def alter_card(self, node: str, index: int, **but: Any) -> None:
        """Change one card; one that is not free is not offered."""
        cards = [
            replace(card, **{"offered": False, **but}) if card.index == index else card
            for card in self.nodes[node].cards
        ]
        self.alter_node(node, cards=tuple(cards))

    def tell(self, kind: str, text: str, **about: Any) -> None:
        """Write a line into the journal."""
        self.seq += 1
        values = {"job": None, "node": None, "user": None, **about}
        self._events.append(an_event(self.seq, text, at=utc_text(self.at), kind=kind, **values))

    def _put(self, job: JobView) -> None:
        self.jobs[job.id] = job
        self._changed.add(job.id)

    def _place(self, job: JobView, node: NodeView, free: list[CardView], ran_s: float) -> None:
        held = tuple(a_held_card(card.index, node.name) for card in free)
        began = utc_text(self.at - ran_s)
        attempt = an_attempt(node=node.name, cards=held, created_at=began, started_at=began)
        values = {"attempt": 1, "node": node.name, "cards": held, "attempts": (attempt,)}
        values |= {"started_at": began, "run_s": ran_s, "reason": None, "position": None}
        self._put(replace(job, state="Running", **values))
        for card in free:
            load = self.chance.choice((4, 55, 67, 74, 92, 98))
            self.alter_card(
                node.name,
                card.index,
                state="held",
                claims=(a_claim(job.id, job.user),),
                utilization_pct=load,
                memory_used_mib=(card.memory_total_mib or 0) * self.chance.randint(30, 95) // 100,
                temperature_c=35 + load // 2,
                power_w=60.0 + 2.5 * load,
            )
        self.alter_node(node.name, jobs=(*self.nodes[node.name].jobs, job.id))
        self.tell("job.running", f"job {job.id} runs on {node.name}", job=job.id, node=node.name)

    def _let_go(self, job: JobView) -> None:
        if job.node is None:
            return
        clean = {"state": "free", "offered": True, "claims": (), "memory_used_mib": 1}
        clean |= {"temperature_c": 34, "power_w": 61.0}
        for held in job.cards:
            if held.index is not None:
                self.alter_card(job.node, held.index, utilization_pct=0, **clean)
        jobs = tuple(id for id in self.nodes[job.node].jobs if id != job.id)
        self.alter_node(job.node, jobs=jobs)

    # --- what is said of it

    def begin(self) -> None:
        """Say everything, as a stream does at first, and after it what the journal holds."""
        self._number_the_line()
        snapshot = Snapshot(
            seq=self.seq,
            epoch=1,
            at=utc_text(self.at),
            pools=self._pools(),
            queues=self._queues(),
            nodes=tuple(self.nodes.values()),
            jobs=tuple(job for job in self.jobs.values() if job.state not in ENDED),
            bookings=tuple(self.bookings.values()),
        )
        ended = tuple(job for job in self.jobs.values() if job.state in ENDED)
        self._say(snapshot)
        if ended or self._events:
            self._say(self._changes(jobs=ended, events=tuple(self._events[-60:])))
        self._settle()

    def step(self, seconds: float = 1.0) -> None:
        """Let time pass and say what happened meanwhile, and what the cards read."""
        self.at += seconds
        self._number_the_line()
        if self._changed or self._moved or self._events:
            nodes = tuple(self.nodes[name] for name in sorted(self._moved))
            jobs = tuple(self.jobs[id] for id in sorted(self._changed))
            pools, queues = self._pools(), self._queues()
            self._say(
                self._changes(
                    jobs=jobs, nodes=nodes, pools=pools, queues=queues, events=tuple(self._events)
                )
            )
        self._settle()
        for node in list(self.nodes.values()):
            if node.state not in ("Offline", "NeedsUpgrade") and node.cards:
                self._read(node)

    def _say(self, frame: AnyToClient) -> None:
        user = self.user if isinstance(frame, Snapshot) else None
        self.recorded.append(Recorded(at=self.at, frame=frame, user=user))

    def _changes(self, **what: Any) -> Changes:
        return Changes(after=self._said_seq, seq=self.seq, at=utc_text(self.at), **what)

    def _settle(self) -> None:
        self._said_seq = self.seq
        self._changed.clear()
        self._moved.clear()
        self._events.clear()

    def _read(self, node: NodeView) -> None:
        cards = tuple(
            replace(self._walk(card), sampled_at=utc_text(self.at)) for card in node.cards
        )
        self.nodes[node.name] = replace(node, cards=cards)
        self._say(
            Readings(
                at=utc_text(self.at),
                node=node.name,
                cpus_used=node.cpus_used,
                memory_used_mib=node.memory_used_mib,
                cards=cards,
            )
        )

    def _walk(self, card: CardView) -> CardView:
        if card.state not in ("held", "shared", "foreign") or card.utilization_pct is None:
            return card
        load = min(100, max(0, card.utilization_pct + self.chance.randint(-6, 6)))
        return replace(
            card,
            utilization_pct=load,
            temperature_c=None if card.temperature_c is None else 35 + load // 2,
            power_w=None if card.power_w is None else 60.0 + 2.5 * load,
        )

    def _number_the_line(self) -> None:
        """Give those who wait their places: by priority, then by number."""
        places: dict[str, int] = {}
        waiting = [job for job in self.jobs.values() if job.state == JobState.PENDING]
        for job in sorted(waiting, key=lambda job: (-job.priority, job.id)):
            places[job.pool] = places.get(job.pool, 0) + 1
            if job.position != places[job.pool]:
                cards = "1 free card" if job.spec["gpus"] == 1 else f"{job.spec['gpus']} free cards"
                text = f"no node of {job.pool} has {cards}"
                reason = job.reason or a_reason(text=text)
                self._put(replace(job, position=places[job.pool], reason=reason))

    def _queues(self) -> tuple[QueueView, ...]:
        return tuple(self._counted_queue(queue) for queue in self.queues.values())

    def _counted_queue(self, queue: QueueView) -> QueueView:
        jobs = [job for job in self.jobs.values() if f"{job.pool}/{job.queue}" == queue.ref]
        placed = [job for job in jobs if job.state in PLACED]
        waiting = sum(job.state == JobState.PENDING for job in jobs)
        held = sum(len(job.cards) for job in placed)
        return replace(queue, waiting=waiting, running=len(placed), gpus_held=held)

    def _pools(self) -> tuple[PoolView, ...]:
        return tuple(map(self._pool, sorted({queue.pool for queue in self.queues.values()})))

    def _pool(self, name: str) -> PoolView:
        nodes = [node for node in self.nodes.values() if name in node.pools]
        states = [card.state for node in nodes for card in node.cards]
        free, held = states.count("free"), states.count("held") + states.count("shared")
        jobs = [job.state for job in self.jobs.values() if job.pool == name]
        return a_pool(
            name,
            queues=tuple(queue.name for queue in self.queues.values() if queue.pool == name),
            nodes=tuple(PoolNodeView(name=node.name, cards=None) for node in nodes),
            cards_total=len(states),
            cards_free=free,
            cards_held=held,
            cards_unavailable=len(states) - free - held,
            waiting=jobs.count("Pending"),
            running=sum(state in PLACED for state in jobs),
            users=self._users(name),
        )

    def _users(self, pool: str) -> tuple[PoolUserView, ...]:
        """Return who holds cards of the pool, those who have had least first."""
        found: dict[str, list[JobView]] = {}
        for job in self.jobs.values():
            if job.pool == pool and job.state in PLACED:
                found.setdefault(job.user, []).append(job)
        users = [
            PoolUserView(
                user=user,
                running=len(jobs),
                gpus_held=(held := sum(len(job.cards) for job in jobs)),
                card_hours=round(held * 1.75, 1),
            )
            for user, jobs in found.items()
        ]
        return tuple(sorted(users, key=lambda user: (user.card_hours, user.user)))


def run_all(scene: Scene, ids: Iterable[int]) -> None:
    """Start as many of the jobs as there is room for, each having run for some time."""
    for id in ids:
        scene.start(id, ran_s=round(scene.chance.uniform(5, 80_000), 1))
