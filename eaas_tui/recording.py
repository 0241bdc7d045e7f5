"""What a console heard, in a file: one JSON object a line, to be shown again later."""

import asyncio
import os
import stat
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Annotated, BinaryIO, Final, Self

import msgspec

from eaas.errors import EaasError
from eaas.views import ConditionView
from eaas.wire.to_client import AnyToClient, Snapshot
from eaas_tui.model.format import LAST_MOMENT
from eaas_tui.model.store import Store

MAX_LINE_BYTES: Final = 64 << 20
"""The longest frame of a large pool is a tenth of it."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frame, and when it came."""

    at: Annotated[float, msgspec.Meta(ge=0, le=LAST_MOMENT)]
    """Unix seconds."""
    frame: AnyToClient
    user: str | None = None
    """Who was looking. Stands beside snapshots."""
    is_admin: bool = False
    conditions: tuple[ConditionView, ...] = ()
    """What was wrong with the whole. Stands beside snapshots."""

    @classmethod
    def heard(cls, frame: AnyToClient, at: float, store: Store) -> Self:
        """Return the frame as it is to be recorded."""
        if not isinstance(frame, Snapshot):
            return cls(at=at, frame=frame)
        picture = store.picture
        return cls(
            at=at,
            frame=frame,
            user=picture.user,
            is_admin=picture.is_admin,
            conditions=picture.conditions,
        )


class BadRecording(EaasError):
    """The file is no recording, or cannot be read."""

    code = "bad_recording"


class Recorder:
    """Writes frames into a new file that only its owner may read: jobs' environments are in them.

    A full disk ends the recording, not the console; ``tell`` gets the sentence that says so.
    """

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        self._path: Final = path
        self._tell: Final = tell
        self._has_ended = False
        self._encoder: Final = msgspec.json.Encoder()
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise BadRecording(f"there is a {path} already: record into a new file") from error
        except OSError as error:
            raise BadRecording(f"cannot record into {path}: {error.strerror}") from error
        self._file: Final = os.fdopen(descriptor, "wb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, recorded: Recorded) -> None:
        """Add one line."""
        if self._has_ended:
            return
        left = self._encoder.encode(recorded) + b"\n"
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            self._has_ended = True
            self._tell(f"the recording into {self._path} ended: {error.strerror}")


def read_recording(path: Path) -> Iterator[Recorded]:
    """Yield the lines of a recording; a last line that was cut short is left out."""
    decoder = msgspec.json.Decoder(Recorded)
    try:
        with _opened(path) as file:
            for number, text in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
                if len(text) > MAX_LINE_BYTES:
                    sentence = f"{path}, line {number}, is too long for a recorded frame"
                    raise BadRecording(sentence)
                try:
                    yield decoder.decode(text)
                except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                    if number > 1 and not text.endswith(b"\n"):
                        return
                    sentence = f"{path}, line {number}, is not a recorded frame: {error}"
                    raise BadRecording(sentence) from error
    except OSError as error:
        raise BadRecording(f"cannot read {path}: {error.strerror}") from error


def _opened(path: Path) -> BinaryIO:
    """Open a file for reading; what would make one wait, as a pipe, is refused."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadRecording(f"{path} is no file: give one that --record has written")
    return os.fdopen(descriptor, "rb")


def replay_at_once(recorded: Iterable[Recorded], store: Store, name: str = "recording") -> float:
    """Show everything; return when the last frame came, which is what ages count from."""
    at = 0.0
    for one in recorded:
        at = one.at
        _show(one, store)
    store.link("replay", f"end of {name}", at)
    return at


class ReplayClock:
    """Tells the recorded time, for ages and run times."""

    def __init__(self, *, speed: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._speed: Final = speed
        self._clock: Final = clock
        self._began = clock()
        self._first_at: float | None = None

    def start(self, at: float) -> None:
        """Let it be that time now."""
        self._began, self._first_at = self._clock(), at

    def now(self) -> float:
        """Return Unix seconds as they were; 0 before the start."""
        if self._first_at is None:
            return 0.0
        return self._first_at + (self._clock() - self._began) * self._speed

    def wait_s(self, at: float) -> float:
        """Return how many seconds to wait until it is that time."""
        return max(0.0, (at - self.now()) / self._speed)


async def replay(
    recorded: Iterable[Recorded],
    store: Store,
    on_change: Callable[[], None],
    clock: ReplayClock,
    *,
    name: str = "recording",
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Show the frames in the rhythm in which they came, at the clock's speed."""
    at: float | None = None
    for one in recorded:
        if at is None:
            clock.start(one.at)
            store.link("replay", f"replay of {name}", one.at)
        at = one.at
        await pause(clock.wait_s(at))
        _show(one, store)
        on_change()
    store.link("replay", f"end of {name}", at or 0.0)
    on_change()


def _show(one: Recorded, store: Store) -> None:
    if one.user is not None:
        store.knows(one.user, is_admin=one.is_admin)
    if isinstance(one.frame, Snapshot):
        store.stands(one.conditions, one.frame.seq)
    store.apply(one.frame, one.at)
