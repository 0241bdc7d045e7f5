"""The stream's source: turns every stored step into frames, once for all who listen.

While nobody listens, and for a while after the last one has gone, nothing is drawn and nothing
kept. ``after`` resumes where the frames since that number were drawn for somebody and are still
in the ring; in every other case (nobody listened, too long ago, before the controller's start) the
client gets a snapshot instead. Several frames may carry the same number: they hold news without
a line in the journal. Whoever resumes at that number gets them all (again), which does no harm.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from eaas.errors import Unavailable
from eaas.ids import JobUid, NodeName
from eaas.units import utc_text
from eaas.wire.to_client import Changes as ChangesFrame
from eaas.wire.to_client import Snapshot, SnapshotJobs
from eaas_daemon.api.affected import Affected
from eaas_daemon.api.event_views import event_view
from eaas_daemon.api.frames import (
    Encodings,
    Frame,
    Ring,
    TwoForms,
    Viewer,
    encoded,
    job_forms,
    node_forms,
    raws,
)
from eaas_daemon.api.readings import Reporter
from eaas_daemon.api.snapshots import SnapshotRun
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.clock import Clock, SystemClock
from eaas_daemon.core.booking_picture import booking_view
from eaas_daemon.core.changes import Changes
from eaas_daemon.core.effects import Effect
from eaas_daemon.core.events import Tick
from eaas_daemon.core.inventory_picture import node_view, pool_view, queue_view
from eaas_daemon.core.model import Job
from eaas_daemon.engine import Engine

MAX_SUBSCRIBERS: Final = 500
MAX_FRAMES: Final = 10_000
MAX_RING_BYTES: Final = 32 << 20
LINGER_S: Final = 60.0
"""How long frames are still drawn for the last subscriber to come back to."""
COUNTS_EVERY_S: Final = 0.1
"""Nodes, pools and queues are drawn again at most this often because of their jobs."""
READINGS_EVERY_S: Final = 1.0
"""Readings, those of all nodes together, phases of jobs, and places in line: at most this often."""


JOBS_A_STEP: Final = 1000
"""So many jobs are drawn of one step: they take about 0.06 s."""


class Counted(NamedTuple):
    """Nodes, pools and queues whose counts are new, in bytes."""

    nodes: tuple[TwoForms, ...] = ()
    pools: tuple[Any, ...] = ()
    queues: tuple[Any, ...] = ()
    bookings: tuple[Any, ...] = ()


class Hub:
    """A listener of the engine. Never waits for a subscriber."""

    def __init__(self, engine: Engine, clock: Clock | None = None) -> None:
        self._engine = engine
        self._state = engine.state
        self._clock = SystemClock() if clock is None else clock
        self._seq = engine.state.seq
        self._subscribers: set[Subscriber] = set()
        self._ring = Ring(max_frames=MAX_FRAMES, max_bytes=MAX_RING_BYTES, forgotten=self._seq)
        self._affected: Affected | None = None
        """None while nothing is recorded."""
        self._began_at_seq = self._seq
        self._linger_until = 0.0
        self._counts_at = self._slow_at = self._read_at = 0.0
        self._snapshot: SnapshotRun | None = None
        self._phases: set[JobUid] = set()
        self._later: dict[JobUid, Job] = {}
        """Changed jobs that are still to be drawn: an array of thousands comes in one step."""
        self._readings: dict[NodeName, None] = {}
        """Nodes whose readings are new."""
        self._reporter: Final = Reporter()

    # --- subscribers

    @property
    def listening(self) -> int:
        """Return how many follow the stream now."""
        return len(self._subscribers)

    def join(self, viewer: Viewer, after: int | None, *, pieces: int = 0) -> Subscriber:
        """Let somebody listen: from ``after`` on if possible, else from a snapshot on."""
        if len(self._subscribers) >= MAX_SUBSCRIBERS:
            raise Unavailable("too many clients follow the stream already; close some")
        subscriber = Subscriber(viewer, pieces=pieces)
        self._subscribers.add(subscriber)
        if after is None or not self._resume(subscriber, after):
            self.send_snapshot_soon()
        return subscriber

    def leave(self, subscriber: Subscriber) -> None:
        """Forget the subscriber."""
        self._subscribers.discard(subscriber)
        if not self._subscribers:
            self._linger_until = self._clock.now() + LINGER_S

    def send_snapshot_soon(self) -> None:
        """Have a step made, at whose end those who wait for a snapshot get it."""
        self._engine.post(Tick())

    def _resume(self, subscriber: Subscriber, after: int) -> bool:
        floor = max(self._ring.forgotten + 1, self._began_at_seq)
        if self._affected is None or not floor <= after <= self._seq:
            return False
        subscriber.follows = True
        self._reporter.forget()
        for frame in self._ring.since(after):
            subscriber.offer(encoded(frame, subscriber.viewer))
        subscriber.fell_behind = False
        return subscriber.follows

    # --- steps

    def __call__(self, changes: Changes, effects: Sequence[Effect]) -> None:
        """Tell the subscribers what a stored step has changed."""
        after, self._seq = self._seq, changes.seq
        if self._records():
            self._tell(changes, after, self._clock.now())

    def _tell(self, changes: Changes, after: int, now: float) -> None:
        assert self._affected is not None
        self._affected.note(changes)
        self._phases.update(self._state.draft.touched)
        self._readings.update(self._state.draft.read_nodes)
        due = list(self._readings) if now - self._read_at >= READINGS_EVERY_S else []
        self._affected.note_readings(due)
        self._send_changes(changes, after, now)
        if due:
            self._readings.clear()
            self._read_at = now
            self._reporter.tell(self._state, due, self._subscribers, now)
        self._send_snapshots(now)

    def start_over(self) -> None:
        """End the streams; those who listen come again and get a snapshot."""
        for subscriber in self._subscribers:
            subscriber.end()
        self._subscribers.clear()
        self._forget()

    def _forget(self) -> None:
        self._affected = None
        self._ring.clear(forgotten=self._seq)
        self._snapshot = None
        self._phases.clear()
        self._later.clear()
        self._readings.clear()

    def _records(self) -> bool:
        """Tell whether somebody listens or may come back; begin or end recording."""
        if self._subscribers or (self._affected and self._clock.now() < self._linger_until):
            if self._affected is None:
                self._began_at_seq = self._seq
                self._affected = Affected(self._state)
                self._affected.moved_in_line(self._engine.painter().explainer)
            return True
        if self._affected is not None:
            self._forget()
        return False

    # --- changes

    def _send_changes(self, changes: Changes, after: int, now: float) -> None:
        frame = self._frame(changes, after, now)
        if frame is None:
            return
        self._ring.add(after, changes.seq, frame)
        forms = Encodings(frame)
        for subscriber in self._subscribers:
            if subscriber.follows:
                subscriber.offer(forms.for_viewer(subscriber.viewer))

    def _frame(self, changes: Changes, after: int, now: float) -> Frame | None:
        """Return what the step shows, or None if nothing."""
        assert self._affected is not None
        jobs = self._to_draw(changes)
        if now - self._slow_at >= READINGS_EVERY_S:
            self._slow_at = now
            self._add_slow(jobs)
        asked = changes.nodes or changes.pools or changes.queues or changes.bookings
        drawn = Counted()
        if asked or now - self._counts_at >= COUNTS_EVERY_S:
            drawn = self._counted()
            if any(drawn):
                self._counts_at = now
        gone = (
            *(changes.gone_nodes or changes.gone_pools or changes.gone_queues),
            *changes.gone_bookings,
        )
        if not (jobs or gone or changes.journal or any(drawn)):
            return None
        painter = self._engine.painter()
        shown = ChangesFrame(
            after=after,
            seq=changes.seq,
            at=utc_text(now),
            gone_pools=tuple(changes.gone_pools),
            gone_queues=tuple(changes.gone_queues),
            gone_nodes=tuple(changes.gone_nodes),
            events=raws(event_view(row) for row in changes.journal),
            pools=drawn.pools,
            queues=drawn.queues,
            bookings=drawn.bookings,
            gone_bookings=changes.gone_bookings,
        )
        forms = tuple(job_forms(painter.job(job)) for job in jobs.values())
        if self._snapshot is not None:
            self._snapshot.note(tuple(jobs.values()), forms)
        return Frame(shown, forms, drawn.nodes)

    def _to_draw(self, changes: Changes) -> dict[JobUid, Job]:
        """Return the changed jobs to be drawn now; what is too much for one step comes in the next.

        Of a job that changes meanwhile only the newest word is drawn.
        """
        self._later.update((job.uid, job) for job in changes.jobs)
        if len(self._later) <= JOBS_A_STEP:
            jobs, self._later = self._later, {}
            return jobs
        uids = list(islice(self._later, JOBS_A_STEP))
        self.send_snapshot_soon()
        return {uid: self._later.pop(uid) for uid in uids}

    def _add_slow(self, jobs: dict[JobUid, Job]) -> None:
        """Add the jobs whose phase or place in line is new, and look at the cards' readings."""
        assert self._affected is not None
        for uid in self._phases:
            if uid in self._state.jobs:
                jobs[uid] = self._state.jobs[uid]
        self._phases.clear()
        for job in self._affected.moved_in_line(self._engine.painter().explainer):
            jobs[job.uid] = job

    def _counted(self) -> Counted:
        assert self._affected is not None
        state = self._state
        nodes, pools, queues = self._affected.take()
        self._reporter.forget(node.name for node in nodes)
        return Counted(
            nodes=tuple(node_forms(node_view(state, node)) for node in nodes),
            pools=raws(pool_view(state, state.pools[name]) for name in pools),
            queues=raws(queue_view(state, state.queues[ref]) for ref in queues),
            bookings=raws(self._affected.booked.news(self._clock.now())),
        )

    # --- snapshots

    def _send_snapshots(self, now: float) -> None:
        """Draw the next piece of the snapshot under way, or begin one for those who wait."""
        if self._snapshot is None:
            if not (waiting := self._waiting()):
                return
            self._snapshot = SnapshotRun(self._state.jobs, waiting)
        self._send_piece(self._snapshot, now)
        if self._snapshot.is_done:
            self._send_whole(self._snapshot, now)
            self._snapshot = None
        if self._snapshot or self._waiting():
            self.send_snapshot_soon()

    def _waiting(self) -> list[Subscriber]:
        return [one for one in self._subscribers if not (one.follows or one.fell_behind)]

    def _send_piece(self, snapshot: SnapshotRun, now: float) -> None:
        is_head = snapshot.is_long and not snapshot.is_begun  # nodes and pools take long enough
        jobs = () if is_head else snapshot.draw(self._engine.painter())
        waiting = snapshot.waiting(self._subscribers, pieces=True)
        if snapshot.is_begun:
            more = Encodings(Frame(SnapshotJobs(jobs=(), last=snapshot.is_done), jobs, ()))
            for subscriber in waiting:
                subscriber.go_on(more.for_viewer(subscriber.viewer))
        elif waiting:
            begin = self._whole(now, jobs, is_whole=snapshot.is_done)
            for subscriber in waiting:
                subscriber.begin(begin.for_viewer(subscriber.viewer))
        snapshot.is_begun = True

    def _send_whole(self, snapshot: SnapshotRun, now: float) -> None:
        if waiting := snapshot.waiting(self._subscribers, pieces=False):
            whole = self._whole(now, snapshot.kept, is_whole=True)
            for subscriber in waiting:
                subscriber.begin(whole.for_viewer(subscriber.viewer))

    def _whole(self, now: float, jobs: tuple[TwoForms, ...], *, is_whole: bool) -> Encodings:
        """Return the snapshot's one frame, or its first."""
        state = self._state
        self._reporter.forget()
        message = Snapshot(
            seq=self._seq,
            epoch=state.epoch,
            at=utc_text(now),
            pools=raws(pool_view(state, state.pools[name]) for name in sorted(state.pools)),
            queues=raws(queue_view(state, state.queues[ref]) for ref in sorted(state.queues)),
            nodes=(),
            jobs=(),
            whole=is_whole,
            bookings=raws(booking_view(state, one, now) for one in state.bookings.values()),
        )
        nodes = (node_view(state, state.nodes[name]) for name in sorted(state.nodes))
        return Encodings(Frame(message, jobs, tuple(map(node_forms, nodes))))
