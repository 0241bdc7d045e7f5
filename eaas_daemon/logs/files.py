"""One attempt's files: both streams byte for byte, how and when they arrived, and its end."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from eaas.wire.codec import BadMessage
from eaas_daemon.logs.order import (
    MARK,
    START,
    Mark,
    Marks,
    Place,
    interleave,
    marks_between,
    packed,
    place_at,
)
from eaas_daemon.logs.times import LogTimes, is_due, times_between

Stream = Literal["stdout", "stderr"]
AnyStream = Literal["stdout", "stderr", "both"]

STREAMS: Final[tuple[Stream, Stream]] = ("stdout", "stderr")
_UID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class LogKey(NamedTuple):
    """Which attempt a log belongs to."""

    uid: str
    attempt: int


class EndMark(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the disk once a log is complete."""

    stdout: int
    stderr: int
    gap_bytes: int | None
    at: float
    """Unix seconds."""
    began_ms: int | None = None
    """When the first byte arrived, in Unix milliseconds, unless the order's first mark says so."""


def log_key(uid: str, attempt: int) -> LogKey:
    """Return the key, or refuse what could never name an attempt: it becomes a file's name."""
    if not _UID.fullmatch(uid) or not 1 <= attempt < 1 << 31:
        raise BadMessage("a log of something that is no attempt")
    return LogKey(uid, attempt)


def stem_of(root: Path, key: LogKey) -> Path:
    """Return the files' common path. The uid's end is random, so it spreads over the folders."""
    return root / key.uid[-2:] / f"{key.uid}-{key.attempt}"


class AttemptLog:
    """What is stored of one attempt, and the handles to store more."""

    def __init__(self, stem: Path) -> None:
        self.stem: Final = stem
        self.sizes = START
        self.end: EndMark | None = None
        self.dropped = False
        self.order_marks = 0
        self._mark = START
        self._marked_ms: int | None = None
        """The last mark's moment; None when the next write has to tell its own."""
        self._began_ms: int | None = None
        """When the first byte arrived, while no mark says so: most logs need no other."""
        self._handles: dict[str, int] = {}
        self._look()

    def _look(self) -> None:
        """Take from the disk what is stored."""
        self.dropped = self.path("dropped").exists()
        marker = self.path("dropped" if self.dropped else "end")
        with suppress(FileNotFoundError, msgspec.DecodeError):
            self.end = msgspec.json.decode(marker.read_bytes(), type=EndMark)
        if self.end is not None:
            self.sizes = Place(self.end.stdout, self.end.stderr)
            self._began_ms = self.end.began_ms
        else:
            self.sizes = Place(*(size_of(self.path(stream)) for stream in STREAMS))
        if any(self.sizes) and not self.dropped:
            self._look_at_order()

    def _look_at_order(self) -> None:
        """Take the marks up to the first that speaks of bytes that were lost with the power."""
        with opened(self.path("order")) as handle:
            marks = Marks(handle, size_of(self.path("order")) // MARK.size)
            count = len(marks)
            while count and not _within(marks[count - 1], self.sizes):
                count -= 1
            self.order_marks = count
            self._mark = marks[count - 1] if count else START

    def path(self, ending: str) -> Path:
        """Return the path of one of the files."""
        return self.stem.with_name(f"{self.stem.name}.{ending}")

    @property
    def stored_bytes(self) -> int:
        """Return how much room the files take."""
        return sum(self.sizes) + self.order_marks * MARK.size

    def write(self, stream: Stream, data: bytes, *, at_ms: int) -> int:
        """Append the bytes; return how much longer the files are. After an OSError nothing is.

        ``at_ms`` is when they arrived, in Unix milliseconds.
        """
        added = 0
        other = self.sizes.stderr if stream == "stdout" else self.sizes.stdout
        marked = self._mark.stderr if stream == "stdout" else self._mark.stdout
        if not any(self.sizes):
            self._began_ms = self._marked_ms = at_ms
        elif other > marked or is_due(at_ms, self._marked_ms):
            added = self._mark_order(Mark(self.sizes, at_ms))
        self._put(stream, getattr(self.sizes, stream), data)
        self.sizes = self.sizes._replace(**{stream: getattr(self.sizes, stream) + len(data)})
        return added + len(data)

    def _mark_order(self, *marks: Mark) -> int:
        """Write the marks, after the first byte's if that still waits; return their length."""
        if self._began_ms is not None:
            marks = (Mark(START, self._began_ms), *marks)
        self._put("order", self.order_marks * MARK.size, b"".join(map(packed, marks)))
        self.order_marks += len(marks)
        self._mark, self._marked_ms = marks[-1]
        self._began_ms = None
        return len(marks) * MARK.size

    def _put(self, ending: str, offset: int, data: bytes) -> None:
        handle = self._handle(ending)
        view, at = memoryview(data), offset
        try:
            while view:
                written = os.pwrite(handle, view, at)
                view, at = view[written:], at + written
        except OSError:
            os.ftruncate(handle, offset)
            raise

    def _handle(self, ending: str) -> int:
        if ending not in self._handles:
            self.stem.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            self._handles[ending] = os.open(self.path(ending), flags, 0o600)
        return self._handles[ending]

    def close(self) -> int:
        """Let go of the handles; return how much longer the files are. A write takes new ones."""
        added = 0
        if self._began_ms is not None and self.end is None and any(self.sizes):
            with suppress(OSError):  # then nobody will know when the log began
                added = self._mark_order()
        self._let_go()
        return added

    def _let_go(self) -> None:
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()

    def finish(self, end: EndMark) -> None:
        """Make everything durable, and then the marker that says it is complete.

        An attempt that wrote nothing leaves no file.
        """
        if end.stdout or end.stderr or end.gap_bytes != 0:
            for ending in ("stdout", "stderr", "order"):
                with suppress(FileNotFoundError):
                    sync(self.path(ending))
            self.stem.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            end = msgspec.structs.replace(end, began_ms=self._began_ms)
            write_durably(self.path("end"), msgspec.json.encode(end))
        self._let_go()
        self.end = end

    def drop(self) -> None:
        """Delete what was written, and remember that; only after ``finish``."""
        self._let_go()
        self.path("end").rename(self.path("dropped"))
        self.dropped = True
        remove_data(self.stem)

    def read(self, stream: AnyStream, offset: int, limit: int, end: Place) -> bytes:
        """Return bytes of what was stored when both streams were as long as ``end``."""
        if stream == "both" and all(end):
            return self._read_both(offset, limit, end)
        if stream == "both":
            stream = "stdout" if end.stdout else "stderr"
        length = min(limit, getattr(end, stream) - offset)
        return read_at(self.path(stream), offset, length)

    def times(self, stream: AnyStream, begin: int, end: int) -> LogTimes:
        """Return when the bytes from ``begin`` to ``end`` of the stream arrived."""
        length = sum if stream == "both" else attrgetter(stream)
        began_ms = self._began_ms  # before the marks, one of which may be it a moment later
        with self._marks() as marks:
            return times_between(marks, began_ms, length, begin, end)

    @contextmanager
    def _marks(self) -> Iterator[Marks]:
        with opened(self.path("order")) as handle:
            on_disk = os.fstat(handle).st_size // MARK.size
            yield Marks(handle, min(self.order_marks, on_disk))

    def _read_both(self, offset: int, limit: int, end: Place) -> bytes:
        with self._marks() as marks:
            first = place_at(marks, end, offset)
            last = place_at(marks, end, min(offset + limit, sum(end)))
            between = marks_between(marks, first, last)
        pieces = (
            read_at(self.path(stream), start, stop - start)
            for stream, start, stop in zip(STREAMS, first, last, strict=True)
        )
        return interleave(between, first, last, *pieces)


def _within(place: Place, sizes: Place) -> bool:
    return place.stdout <= sizes.stdout and place.stderr <= sizes.stderr


def size_of(path: Path) -> int:
    """Return the file's size; one that is not there is empty."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Give a handle to read with; a file that is not there reads as empty."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        handle = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def read_at(path: Path, offset: int, length: int) -> bytes:
    """Return that part of the file, or what there is of it."""
    if length <= 0:
        return b""
    with opened(path) as handle:
        return os.pread(handle, length, offset)


def sync(path: Path) -> None:
    """Wait until the file, or the folder's list of names, is on the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, data: bytes) -> None:
    """Let the file be there whole or not at all, whatever happens."""
    temporary = path.with_name(path.name + ".part")
    with open(os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def remove_data(stem: Path) -> None:
    """Delete what an attempt wrote."""
    for ending in ("stdout", "stderr", "order"):
        stem.with_name(f"{stem.name}.{ending}").unlink(missing_ok=True)
