"""Why a job waits, told from the same functions that decide it."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.sentences import sentence
from eaas.units import utc_text
from eaas.views import ScopedReasonView
from eaas.why_views import EtaView, WhyNodeView, WhyView
from eaas_daemon.core import dependencies
from eaas_daemon.core.admission import impossible, mount_meant
from eaas_daemon.core.ask import Shape, shape_of
from eaas_daemon.core.blockers import blockers
from eaas_daemon.core.booking_bars import shorter_timeout
from eaas_daemon.core.certainty import certain_at
from eaas_daemon.core.fit import Room, every_never, refusal
from eaas_daemon.core.forecast import forecast
from eaas_daemon.core.gang_words import called, fewer_nodes, too_few
from eaas_daemon.core.gangs import first_rank, ranks_left
from eaas_daemon.core.gates import gates, may_shut
from eaas_daemon.core.making_room import goes_on, held, kept_for, stopping_for, why_promised
from eaas_daemon.core.model import Job, Node, Pool
from eaas_daemon.core.promised import cap_kept
from eaas_daemon.core.reserve import COOLING_S, kept_from, kept_rooms
from eaas_daemon.core.state import State

Scope = Literal["job", "queue", "pool"]
Scoped = tuple[Scope, r.Reason]
SEEN: Final = frozenset((JobState.STARTING, JobState.RUNNING, JobState.STOPPING))
"""States of which the node's own word is the ground."""
Alike = tuple[Shape, int, int, bool]
"""What makes two waiting jobs alike here: the shape; rank and priority, by which a job may take
what is kept for another; and whether it is the one for which something is kept."""
MISSED_AFTER_S: Final = 6.0
"""Three beats that did not come, though the connection still seems to be there."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Why a kind of job does not start: what stands above the nodes, and each node's own reason."""

    above: tuple[Scoped, ...]
    nodes: tuple[r.NodeReason, ...]
    never: bool
    few: r.Reason | None = None
    """That not enough nodes at once could take it, where it needs several."""

    @property
    def above_nodes(self) -> tuple[Scoped, ...]:
        """Return all reasons that are no node's own."""
        return self.above if self.few is None else (*self.above, ("pool", self.few))

    @property
    def first(self) -> r.Reason:
        """Return the reason that says most in one phrase."""
        if self.above:
            return self.above[0][1]
        if self.few is not None:
            return self.few
        return self.nodes[0] if self.nodes else r.NotPlannedYet()


class Explainer:
    """Explains one state; jobs that are alike to the scheduler are looked at once."""

    def __init__(self, state: State, now: float | None = None) -> None:
        """Begin; ``now`` in Unix seconds lets it say how long a node has been missed."""
        self._state = state
        self._now = now
        self._at = now if now is not None else state.last_tick_at or 0.0
        self._held = held(state)
        self._rooms: dict[NodeName, Room] | None = None
        self._waiting: dict[Alike, Waiting] = {}
        self._first: dict[Alike, r.Reason] = {}

    def waiting(self, job: Job) -> Waiting:
        """Return why the waiting job does not start."""
        if (aside := self._aside(job)) is not None:
            return Waiting(above=(("job", aside),), nodes=(), never=False)
        job = first_rank(self._state, job)
        alike = self._alike(job)
        if alike not in self._waiting:
            self._waiting[alike] = self._explain(job, alike[0])
        return self._waiting[alike]

    def _aside(self, job: Job) -> r.Reason | None:
        """Return why the job is not in line, or None if it is."""
        if job.waits_for or job.not_before is not None:
            return dependencies.reason(self._state, job) or _not_yet(job) or r.NotPlannedYet()
        if (left := ranks_left(self._state, job)) is not None:
            return left
        return why_promised(self._state, first_rank(self._state, job), self._at)

    def _alike(self, job: Job) -> Alike:
        kept = self._state.reservations.get(job.pool)
        is_first = kept is not None and kept.uid == job.uid and kept.is_promise
        return shape_of(job), job.rank, job.priority, is_first

    def reason(self, job: Job) -> r.Reason | None:
        """Return the job's reason in its state, whichever that is."""
        if job.state is not JobState.PENDING:
            return job.reason
        if (aside := self._aside(job)) is not None:
            return aside
        job = first_rank(self._state, job)
        alike = self._alike(job)
        if alike in self._waiting:
            return self._waiting[alike].first
        if alike not in self._first:
            self._first[alike] = self._first_reason(job, alike[0])
        return self._first[alike]

    def _first_reason(self, job: Job, shape: Shape) -> r.Reason:
        """Return what the whole answer begins with; mostly one node is looked at for that."""
        pool = self._state.pools[job.pool]
        if above := self._above(shape, job, pool):
            return above[0][1]
        if shape.ask.num_nodes == 1:
            for reason in self._node_reasons(job, shape, pool):
                if not reason.never:
                    return reason
        return self.waiting(job).first

    def _explain(self, job: Job, shape: Shape) -> Waiting:
        state, ask = self._state, shape.ask
        pool = state.pools[job.pool]
        found = self._node_reasons(job, shape, pool)
        nodes = tuple(sorted(found, key=lambda reason: (reason.never, reason.node)))
        is_ruled_out = ask.num_nodes > 1 or all(reason.never for reason in nodes)
        never = is_ruled_out and bool(impossible(state, pool, ask))
        few = too_few(state, pool, ask, nodes, never=never)
        return Waiting(above=self._above(shape, job, pool), nodes=nodes, never=never, few=few)

    def _above(self, shape: Shape, job: Job, pool: Pool) -> tuple[Scoped, ...]:
        """Return what is shut above the nodes."""
        state, queue = self._state, self._state.queues[job.ref]
        above: list[Scoped] = []
        for shut in gates(shape, queue, pool, self._held) if may_shut(shape, queue, pool) else ():
            above.append(
                ("queue" if isinstance(shut, r.QueuePaused | r.QueueFull) else "job", shut)
            )
        first = state.reservations.get(job.pool)
        kept = cap_kept(state, job, shape, first, self._held)
        if kept is not None and not above:
            above.append(("queue" if kept.queue == job.ref else "job", kept))
        if not any(name in state.nodes for name in pool.members):
            above.append(("pool", r.PoolHasNoNodes(pool=pool.name)))
        return tuple(above)

    def _node_reasons(self, job: Job, shape: Shape, pool: Pool) -> Iterator[r.NodeReason]:
        """Yield why each node does not take the job now, by their names."""
        if self._rooms is None:
            self._rooms = kept_rooms(self._state, self._at)
        ask = shape.ask
        for name in sorted(pool.members):
            if (room := self._rooms.get(name)) is None:
                continue
            reason = refusal(room, ask, pool, _since(room.node))
            if reason is None:
                reason = kept_from(self._state, room, job, shape, self._at)
            elif self._state.aside.promised:
                reason = kept_for(self._state, room, ask, pool, reason)
            if reason is not None and reason.never:
                yield from every_never(room.node, ask, pool)
            elif isinstance(reason, r.NodeOffline):
                yield replace(reason, silent_s=self._missed_s(room.node))
            elif reason is not None:
                yield reason

    def _missed_s(self, node: Node) -> float | None:
        """Return how long the node has been silent; None where it is not missed, or offline."""
        if node.offline or self._now is None or node.last_seen_at is None:
            return None
        silent_s = max(0.0, self._now - node.last_seen_at)
        return silent_s if node.session is None or silent_s > MISSED_AFTER_S else None

    def as_of_now(self, job: Job) -> r.Reason | None:
        """Return the job's reason, and of one that runs on a node that is missed, that."""
        return self.missed(job) or self.reason(job)

    def missed(self, job: Job) -> r.NodeSilent | None:
        """Return that the node where the job runs is missed, if it is.

        It is true only at the moment of asking: nobody is told when the node speaks again.
        """
        attempt = job.live_attempt
        node = None if attempt is None else self._state.nodes.get(attempt.node)
        if job.state not in SEEN or node is None or (missed_s := self._missed_s(node)) is None:
            return None
        since = utc_text(node.last_seen_at or 0.0)
        return r.NodeSilent(node=node.name, since=since, silent_s=missed_s)

    # --- the whole answer

    def why(self, job: Job) -> WhyView:
        """Return the whole answer to "why does it wait"."""
        if job.state is not JobState.PENDING:
            return self._not_waiting(job)
        job = job if job.scattered else first_rank(self._state, job)
        waiting = self.waiting(job)
        position = self._position(job)
        verdict: Literal["waiting", "never"] = "never" if waiting.never else "waiting"
        return WhyView(
            job=job.number,
            state=job.state,
            verdict=verdict,
            text=_sentence_for(job, waiting, position),
            position=position,
            reasons=tuple(
                ScopedReasonView(code=reason.code, text=sentence(reason), scope=scope)
                for scope, reason in waiting.above_nodes
            ),
            nodes=_node_views(waiting.nodes),
            blockers=() if waiting.never else blockers(self._state, job, waiting.above, self._at),
            eta=self._eta(job, waiting),
            advice=advice(waiting) + self._meant(job, waiting),
            as_of_seq=self._state.seq,
        )

    def _eta(self, job: Job, waiting: Waiting) -> EtaView:
        """Return when it starts: at the latest where its node is kept for it, else by estimate."""
        if job.promise is not None:
            is_over = not stopping_for(self._state, job)
            soon = self._at + COOLING_S if is_over else max(job.promise.ready_by, self._at)
            return EtaView(at=utc_text(soon), in_s=round(soon - self._at, 1), kind="estimate")
        at = None if waiting.above else certain_at(self._state, job, self._at)
        if at is not None:
            return EtaView(at=utc_text(at), in_s=round(at - self._at, 1), kind="certain")
        likely = None if waiting.never else forecast(self._state, job, self._at)
        if likely is None:
            return EtaView(at=None, in_s=None, kind="unknown")
        return EtaView(at=utc_text(likely), in_s=round(likely - self._at, 1), kind="estimate")

    def _meant(self, job: Job, waiting: Waiting) -> tuple[str, ...]:
        meant = mount_meant(self._state, job) if waiting.never else None
        return () if meant is None else (meant,)

    def _position(self, job: Job) -> int | None:
        """Return its place, if it is in line."""
        if not job.in_line:
            return None
        return self._state.line.position(job, self._state.order)

    def _not_waiting(self, job: Job) -> WhyView:
        reason = self.as_of_now(job)
        text = f"job {job.called} is {job.state}{self._doing(job)}"
        return WhyView(
            job=job.number,
            state=job.state,
            verdict="placed",
            text=(f"{text}: {sentence(reason)}" if reason else text) + goes_on(job),
            position=None,
            reasons=(),
            nodes=(),
            blockers=(),
            eta=EtaView(at=None, in_s=None, kind="unknown"),
            advice=(),
            as_of_seq=self._state.seq,
        )

    def _doing(self, job: Job) -> str:
        """Return what an attempt that does not run yet is doing, and how the one before ended."""
        if job.state is not JobState.STARTING:
            return ""
        phase = self._state.phases.get(job.uid)
        attempt = job.attempts[-1]
        words = f" on {attempt.node}" + (f", {phase.name}" if phase else "")
        before = job.attempts[-2].reason if len(job.attempts) > 1 else None
        if before is None:
            return words
        return f"{words}; this is attempt {attempt.number}, the last one: {sentence(before)}"


def _not_yet(job: Job) -> r.Reason | None:
    if job.not_before is None:
        return None
    until = utc_text(job.not_before)
    if not job.attempts:
        return r.NotBefore(until=until)
    return r.Backoff(until=until, attempt=len(job.attempts) + 1)


def _since(node: Node) -> str | None:
    since = node.last_seen_at if node.offline_since is None else node.offline_since
    return None if since is None else utc_text(since)


def _sentence_for(job: Job, waiting: Waiting, position: int | None) -> str:
    text = f"job {called(job)} waits: {sentence(waiting.first)}"
    if waiting.first is waiting.few and waiting.nodes:
        text = f"{text}; {sentence(waiting.nodes[0])}"
    if waiting.never:
        node = getattr(waiting.first, "node", None)
        alike: list[r.Reason] = [reason for reason in waiting.nodes if reason.node == node]
        facts = "; ".join(map(sentence, alike or [waiting.first]))
        text = f"job {called(job)} can never start: {facts}"
    elif not waiting.above and not waiting.nodes:
        text = f"job {called(job)} is about to be placed"
    return text + in_line(position) + goes_on(job)


def in_line(position: int | None) -> str:
    """Return how the sentence about a waiting job ends that is not the next one."""
    return "" if position is None or position <= 1 else f"; it is number {position} in line"


def _node_views(reasons: Sequence[r.NodeReason]) -> tuple[WhyNodeView, ...]:
    """Return a row for each node: the code of its first reason, and the words of all."""
    by_node: dict[str, list[r.NodeReason]] = {}
    for reason in reasons:
        by_node.setdefault(reason.node, []).append(reason)
    return tuple(map(_node_view, by_node.values()))


def _node_view(reasons: Sequence[r.NodeReason]) -> WhyNodeView:
    reason = reasons[0]
    return WhyNodeView(
        node=reason.node,
        code=reason.code,
        text="; ".join(map(sentence, reasons)),
        asked=getattr(reason, "asked", None),
        available=getattr(reason, "available", None),
        never=reason.never,
    )


def advice(waiting: Waiting) -> tuple[str, ...]:
    """Return what a person could change so that the job can start."""
    lines: list[str] = []
    for _, reason in waiting.above:
        if isinstance(reason, r.QueuePaused):
            lines.append(f"an admin lets it go on with: mini-eaas queue resume {reason.queue}")
        if isinstance(reason, r.PoolHasNoNodes):
            lines.append(f"mini-eaas pool add {reason.pool} NODE")
        if isinstance(reason, r.QueueFull | r.UserCap) and reason.asked > reason.limit:
            lines.append(_larger_cap(reason))
    if not waiting.above:
        lines += shorter_timeout(waiting.nodes)
    if waiting.never:
        lines += fewer_nodes(waiting.few) + _changes(waiting.nodes)
    return tuple(lines)


def _larger_cap(reason: r.QueueFull | r.UserCap) -> str:
    """Return what lets a job start that asks for more than its cap: waiting alone never does."""
    where = f"queue {reason.queue}" if isinstance(reason, r.QueueFull) else reason.where
    kind, _, name = where.partition(" ")
    cap = {"cards": "--max-gpus", "jobs": "--max-running"}[reason.what]
    if isinstance(reason, r.UserCap):
        cap = {"cards": "--max-gpus-per-user", "jobs": "--max-per-user"}[reason.what]
    return (
        f"ask for less, or an admin allows more with: mini-eaas {kind} set {name} {cap} "
        f"{reason.asked}"
    )


def _changes(reasons: tuple[r.NodeReason, ...]) -> tuple[str, ...]:
    lines: list[str] = []
    sizes = [reason.available for reason in reasons if isinstance(reason, r.CardsTooSmall)]
    if sizes:
        lines.append(f"ask for {max(sizes) // 1024}GiB or less with gpu_memory")
    counts = [reason.available for reason in reasons if isinstance(reason, r.TooFewCards)]
    if counts and max(counts) > 0:
        cards = "card" if max(counts) == 1 else "cards"
        lines.append(f"ask for {max(counts)} {cards} or fewer with gpus")
    parts = [reason.available for reason in reasons if isinstance(reason, r.ShareTooLarge)]
    if parts:
        lines.append(
            f"ask for {max(parts) // 1024}GiB or less with gpu_memory, or for a whole card"
        )
    if any(isinstance(reason, r.CardsNotShared) for reason in reasons):
        lines.append("ask for a whole card: leave out share")
    models = sorted({x.available for x in reasons if isinstance(x, r.WrongModel)})
    if models:
        lines.append(f"the models there are: {', '.join(models)}")
    if any(isinstance(reason, r.RuntimeCannotRunImages) for reason in reasons):
        lines.append("leave out the image, or use a node with a container engine")
    if any(isinstance(reason, r.RuntimeNeedsAnImage) for reason in reasons):
        lines.append("name an image")
    if strangers := [x for x in reasons if isinstance(x, r.NoAccount)]:
        nodes = ", ".join(x.node for x in strangers)
        user = strangers[0].user
        lines.append(f"let {user} have an account on one of {nodes}, or name an image")
    return tuple(lines)
