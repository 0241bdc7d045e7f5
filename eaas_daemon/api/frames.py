"""Frames of the stream, encoded once: each thing in bytes that every subscriber's frame shares."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from eaas.node_views import NodeView
from eaas.views import JobView, View
from eaas.wire.to_client import Changes, Snapshot, SnapshotJobs
from eaas_daemon.api.private import public_job, public_node

Viewer = str | None
"""Whose frames: a member sees what is private in jobs of their own; None is an admin, who sees all.
"""

ENCODER: Final = msgspec.json.Encoder()


class TwoForms(NamedTuple):
    """One view in bytes: for its owner and admins, and for everybody else."""

    owner: str | None
    """None where only admins see the whole."""
    full: msgspec.Raw
    public: msgspec.Raw

    @property
    def size(self) -> int:
        """Return how many bytes both forms take."""
        public = 0 if self.public is self.full else len(memoryview(self.public))
        return len(memoryview(self.full)) + public

    def form_for(self, viewer: Viewer) -> Any:
        """Return the bytes that this viewer may see, to stand in the view's place."""
        return self.full if viewer is None or viewer == self.owner else self.public


class Frame(NamedTuple):
    """One message before it is known who will see it."""

    message: Snapshot | SnapshotJobs | Changes
    """Without jobs and nodes, and with bytes in the place of every other view."""
    jobs: tuple[TwoForms, ...]
    nodes: tuple[TwoForms, ...]

    @property
    def size(self) -> int:
        """Return about how many bytes it takes in memory."""
        shared: Sequence[Any] = ()
        if isinstance(self.message, Changes):
            shared = (
                *self.message.pools,
                *self.message.queues,
                *self.message.events,
                *self.message.bookings,
            )
        own = sum(part.size for part in (*self.jobs, *self.nodes))
        return 200 + own + sum(len(memoryview(raw)) for raw in shared)


def raw(view: View) -> Any:
    """Return the view's bytes, to stand in its place: the encoder copies them as they are."""
    return msgspec.Raw(ENCODER.encode(view))


def raws(views: Iterable[View]) -> tuple[Any, ...]:
    """Return the views' bytes."""
    return tuple(raw(view) for view in views)


def job_forms(view: JobView) -> TwoForms:
    """Return the job's bytes."""
    full, public = raw(view), public_job(view)
    return TwoForms(view.user, full, full if public is view else raw(public))


def node_forms(view: NodeView) -> TwoForms:
    """Return the node's bytes."""
    full, public = raw(view), public_node(view)
    return TwoForms(None, full, full if public is view else raw(public))


class Encodings:
    """A frame in all the forms that somebody needs, each made once."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._owners = {job.owner for job in frame.jobs}
        self._made: dict[Viewer, bytes] = {}

    def for_viewer(self, viewer: Viewer) -> bytes:
        """Return the frame's bytes; members without a job in it share theirs."""
        form = viewer if viewer is None or viewer in self._owners else ""
        if form not in self._made:
            self._made[form] = encoded(self._frame, form)
        return self._made[form]


def encoded(frame: Frame, viewer: Viewer) -> bytes:
    """Return the frame's bytes as this viewer may see them."""
    jobs = tuple(part.form_for(viewer) for part in frame.jobs)
    if isinstance(frame.message, SnapshotJobs):
        return ENCODER.encode(replace(frame.message, jobs=jobs))
    nodes = tuple(part.form_for(viewer) for part in frame.nodes)
    return ENCODER.encode(replace(frame.message, jobs=jobs, nodes=nodes))


class Ring:
    """The latest changes, for those who come back; bounded in number and bytes."""

    def __init__(self, *, max_frames: int, max_bytes: int, forgotten: int) -> None:
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._frames: deque[tuple[int, int, int, Frame]] = deque()
        self._bytes = 0
        self.forgotten = forgotten
        """The highest sequence number of a frame that is not kept any more."""

    def add(self, after: int, seq: int, frame: Frame) -> None:
        """Keep the frame, and forget the oldest ones when there are too many."""
        size = frame.size
        self._frames.append((after, seq, size, frame))
        self._bytes += size
        while len(self._frames) > self._max_frames or self._bytes > self._max_bytes:
            _, self.forgotten, oldest_size, _ = self._frames.popleft()
            self._bytes -= oldest_size

    def clear(self, forgotten: int) -> None:
        """Forget everything up to that number."""
        self._frames.clear()
        self._bytes = 0
        self.forgotten = forgotten

    def since(self, seq: int) -> list[Frame]:
        """Return the frames that follow the number, oldest first."""
        found: list[Frame] = []
        for after, _, _, frame in reversed(self._frames):
            if after < seq:
                break
            found.append(frame)
        return found[::-1]
