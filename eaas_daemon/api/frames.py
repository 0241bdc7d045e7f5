"""Frames of the stream, encoded once: each thing in bytes that every subscriber's frame shares."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from eaas.views import JobView, View
from eaas.wire.to_client import Changes, Snapshot

Viewer = str | None
"""Whose frames: a member sees what is private in jobs of their own; None is an admin, who sees all.
"""

ENCODER: Final = msgspec.json.Encoder()
HIDDEN: Final = ("env", "command", "with")


class JobBytes(NamedTuple):
    """One job's view in its two forms."""

    owner: str
    full: msgspec.Raw
    public: msgspec.Raw


class Frame(NamedTuple):
    """One step as the ring keeps it, before it is known who will see it."""

    changes: Changes
    """With nothing in ``jobs``, and encoded views in the other fields."""
    jobs: tuple[JobBytes, ...]
    size: int


def raw(view: View) -> Any:
    """Return the view's bytes in the view's place: the encoder copies them as they are."""
    return msgspec.Raw(ENCODER.encode(view))


def raws(views: Iterable[View]) -> tuple[Any, ...]:
    """Return the views' bytes."""
    return tuple(raw(view) for view in views)


def job_bytes(view: JobView) -> JobBytes:
    """Return the view's bytes, for its owner and for others."""
    full = raw(view)
    hidden = {key: None for key in HIDDEN if key in view.spec}
    public = raw(replace(view, spec={**view.spec, **hidden})) if hidden else full
    return JobBytes(view.user, full, public)


def framed(changes: Changes, jobs: tuple[JobBytes, ...]) -> Frame:
    """Return the frame with an estimate of what it takes in memory."""
    others: Sequence[Any] = (*changes.pools, *changes.queues, *changes.nodes, *changes.events)
    size = sum(len(bytes(part)) for part in others)
    size += sum(len(bytes(job.full)) + len(bytes(job.public)) for job in jobs)
    return Frame(changes, jobs, size + 200)


def encoded(message: Snapshot | Changes, jobs: tuple[JobBytes, ...], viewer: Viewer) -> bytes:
    """Return the message with the jobs in it, as this viewer may see them."""
    if viewer is None:
        parts = tuple(job.full for job in jobs)
    else:
        parts = tuple(job.full if job.owner == viewer else job.public for job in jobs)
    return ENCODER.encode(replace(message, jobs=cast(tuple[JobView, ...], parts)))


class Encodings:
    """One message in all the forms that somebody needs, each made once."""

    def __init__(self, message: Snapshot | Changes, jobs: tuple[JobBytes, ...]) -> None:
        self._message = message
        self._jobs = jobs
        self._owners = {job.owner for job in jobs}
        self._made: dict[Viewer, bytes] = {}

    def for_viewer(self, viewer: Viewer) -> bytes:
        """Return the message's bytes; members without a job in it share theirs."""
        form = viewer if viewer is None or viewer in self._owners else ""
        if form not in self._made:
            self._made[form] = encoded(self._message, self._jobs, form)
        return self._made[form]


class Ring:
    """The latest frames, for those who come back; bounded in number and bytes."""

    def __init__(self, *, max_frames: int, max_bytes: int) -> None:
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self.forgotten = 0
        """The highest sequence number of a frame that is not kept any more."""

    def add(self, frame: Frame) -> None:
        """Keep the frame, and forget the oldest ones when there are too many."""
        self._frames.append(frame)
        self._bytes += frame.size
        while len(self._frames) > self._max_frames or self._bytes > self._max_bytes:
            oldest = self._frames.popleft()
            self._bytes -= oldest.size
            self.forgotten = oldest.changes.seq

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()
        self._bytes = 0

    def since(self, seq: int) -> list[Frame]:
        """Return the frames that follow the number, oldest first."""
        found: list[Frame] = []
        for frame in reversed(self._frames):
            if frame.changes.after < seq:
                break
            found.append(frame)
        return found[::-1]
