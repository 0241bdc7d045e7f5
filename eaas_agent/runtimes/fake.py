"""A runtime in memory that a test conducts: attempts begin, write and end when it says so.

It keeps the port's promises: a start happens once and adopts what exists, a cancelled start leaves
nothing, a wait for what is unknown is lost, a log is read from any offset and follows live.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final

from eaas_agent.runtimes.port import (
    AttemptKey,
    CachedImage,
    Confirm,
    Exit,
    Found,
    LogBytes,
    Phase,
    RunOrder,
    RuntimeState,
    Started,
    StartFailed,
    Stream,
    confirmed,
)

PIECE_BYTES: Final = 16 * 1024


class FakeAttempt:
    """One attempt: what it was asked to be, what it wrote, how it ended."""

    def __init__(self, order: RunOrder, started_at: float) -> None:
        self.order: Final = order
        self.started_at: Final = started_at
        self.exit: Exit | None = None
        self.graces: Final[list[float]] = []
        """Of every stop that was asked for."""
        self._written: Final[dict[Stream, bytes]] = {"stdout": b"", "stderr": b""}
        self._changed = asyncio.Condition()

    async def write(self, data: bytes, stream: Stream = "stdout") -> None:
        """Write to the log."""
        async with self._changed:
            self._written[stream] += data
            self._changed.notify_all()

    async def end(self, exit_code: int | None = 0, *, lost: bool = False) -> None:
        """End it, unless it has ended."""
        async with self._changed:
            if self.exit is None:
                self.exit = Exit(
                    exit_code=exit_code, finished_at=self.started_at + 1.0, ran_for_s=1.0, lost=lost
                )
            self._changed.notify_all()

    async def ended(self) -> Exit:
        """Wait for the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.exit is not None)
        assert self.exit is not None
        return self.exit

    async def read(self, stdout_from: int, stderr_from: int) -> AsyncGenerator[LogBytes, None]:
        """Yield what was written from there on, until the end."""
        at: dict[Stream, int] = {"stdout": stdout_from, "stderr": stderr_from}
        while True:
            ended = self.exit is not None
            pieces = [piece for stream in at if (piece := self._piece(stream, at[stream]))]
            for piece in pieces:
                at[piece.stream] += len(piece.data)
                yield piece
            if not pieces:
                if ended:
                    return
                async with self._changed:
                    await self._changed.wait_for(lambda: self.exit is not None or self._more(at))

    def _more(self, at: dict[Stream, int]) -> bool:
        return any(len(self._written[stream]) > offset for stream, offset in at.items())

    def _piece(self, stream: Stream, offset: int) -> LogBytes | None:
        data = self._written[stream][offset : offset + PIECE_BYTES]
        return LogBytes(stream, offset, data) if data else None


class FakeRuntime:
    """Attempts that exist only here; they outlive an agent that lets go of this object."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` gives Unix seconds."""
        self.attempts: Final[dict[AttemptKey, FakeAttempt]] = {}
        self.starts: Final[list[AttemptKey]] = []
        """Every real start, in order; an adoption is none."""
        self.refusal: StartFailed | None = None
        self.phases: tuple[Phase, ...] = ()
        self.holds_starts: asyncio.Event | None = None
        """Starts wait for this, like for a pull."""
        self.obeys_stops = True
        self.fault: str | None = None
        self._clock = clock

    async def probe(self) -> RuntimeState:
        """Return what the test set."""
        return RuntimeState(kind="process", engine=None, fault=self.fault)

    async def start(
        self, order: RunOrder, progress: Callable[[Phase], None], confirm: Confirm = confirmed
    ) -> Started:
        """Start or adopt the attempt."""
        for phase in self.phases:
            progress(phase)
        if self.holds_starts is not None:
            await self.holds_starts.wait()
        if self.refusal is not None:
            raise self.refusal
        attempt = self.attempts.get(order.key)
        if attempt is None:
            await confirm()
            self.starts.append(order.key)
            attempt = self.attempts[order.key] = FakeAttempt(order, self._clock())
        return Started(handle=_handle(order.key), started_at=attempt.started_at)

    async def wait(self, key: AttemptKey, handle: str) -> Exit:
        """Return how it ended; what is not known here is lost."""
        attempt = self.attempts.get(key)
        if attempt is None:
            return Exit(exit_code=None, finished_at=self._clock(), lost=True, text="it is gone")
        return await attempt.ended()

    async def stop(self, key: AttemptKey, handle: str, grace_s: float) -> None:
        """End it as TERM does, if stops are obeyed."""
        attempt = self.attempts.get(key)
        if attempt is not None:
            attempt.graces.append(grace_s)
            if self.obeys_stops:
                await attempt.end(143)

    async def log(
        self, key: AttemptKey, handle: str, *, stdout_from: int, stderr_from: int
    ) -> AsyncGenerator[LogBytes, None]:
        """Yield its log; what is not known here has none."""
        attempt = self.attempts.get(key)
        if attempt is not None:
            async with aclosing(attempt.read(stdout_from, stderr_from)) as pieces:
                async for piece in pieces:
                    yield piece

    async def find(self) -> Sequence[Found]:
        """List every attempt."""
        return [
            Found(
                key=key,
                number=attempt.order.number,
                epoch=attempt.order.epoch,
                handle=_handle(key),
                running=attempt.exit is None,
                started_at=attempt.started_at,
            )
            for key, attempt in self.attempts.items()
        ]

    async def remove(self, key: AttemptKey, handle: str) -> None:
        """Forget the attempt."""
        self.attempts.pop(key, None)

    async def images(self) -> Sequence[CachedImage]:
        """Return nothing."""
        return ()

    async def close(self) -> None:
        """Let go; attempts stay."""


def _handle(key: AttemptKey) -> str:
    return f"fake-{key.uid}-{key.attempt}"
