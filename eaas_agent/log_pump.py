"""What of which log is to be sent, and what was: offsets, credit, ends.

Nothing is buffered for later: the runtime has every byte until the attempt is removed, so after a
cut each log is read again from where the controller says it stands. A short log that is complete
when its attempt ends travels whole; an empty one does not travel at all.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from typing import Final

from eaas.ids import JobUid
from eaas.wire.logs import (
    MAX_PIECE_BYTES,
    WINDOW_BYTES,
    AnyLogFromAgent,
    LogAck,
    LogPiece,
    LogPieces,
)
from eaas_agent.log_state import LogState
from eaas_agent.model import Event, LogAcked
from eaas_agent.runtimes.port import AttemptKey, LogBytes, Runtime

FOLLOW_AFTER_S: Final = 0.1
"""An attempt that ends sooner is not followed live; its log is read once, at its end."""

ASK_AGAIN_S: Final = 30.0
"""A log whose end is not confirmed by then is asked about once more."""

SHORT_BYTES: Final = 64 * 1024
BUNDLE_BYTES: Final = 256 * 1024
READ_AGAIN_S: Final = 1.0
SHORT_READ_WITHIN_S: Final = 5.0
AT_ONCE: Final = 16
"""So many logs of ended attempts are read at the same time."""

log = logging.getLogger(__name__)


class LogPump:
    """The logs of all attempts on their way to the controller."""

    def __init__(
        self,
        runtime: Runtime,
        group: asyncio.TaskGroup,
        post: Callable[[Event], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._runtime = runtime
        self._group = group
        self._post = post
        self._clock = clock
        self._logs: dict[AttemptKey, LogState] = {}
        self._pieces: list[LogPiece] = []
        self._others: list[AnyLogFromAgent] = []
        self._unacked = 0
        self._connected = False
        self._wake = asyncio.Event()
        self._credit = asyncio.Event()
        self._slots = asyncio.Semaphore(AT_ONCE)

    # --- what the attempts do

    def begin(self, key: AttemptKey, handle: str) -> None:
        """Take on the log of an attempt that has just begun; nobody has any of it yet."""
        state = self._logs[key] = LogState(key, handle, fresh=True)
        loop = asyncio.get_running_loop()
        state.timer = loop.call_later(FOLLOW_AFTER_S, self._follow, state)

    def resume(self, key: AttemptKey, handle: str) -> None:
        """Take on the log of an attempt that began in an earlier life of the agent."""
        if key not in self._logs:
            state = self._logs[key] = LogState(key, handle, fresh=False)
            if self._connected:
                self._say(state.ask())

    async def finish(self, key: AttemptKey) -> tuple[int, int] | None:
        """Return the lengths of an ended attempt's log if it is short and nothing of it was sent.

        It is sent now. None when the lengths will come with the log itself.
        """
        state = self._logs.get(key)
        if state is None:
            return None
        state.exited = True
        if not state.fresh:
            return None
        state.cut()  # whoever follows it has sent nothing yet
        pieces = await self._read_short(state)
        if pieces is None or state.reader is not None:
            self._follow(state)
            return None
        if not pieces:
            self._logs.pop(key, None)
        elif self._connected:
            at = self._clock()
            for piece in pieces:
                self._send(state, piece, at)
            self._say_end(state)
        return _lengths(pieces)

    def forget(self, key: AttemptKey) -> None:
        """Drop the log: it is delivered, or the attempt is removed."""
        state = self._logs.pop(key, None)
        if state is not None:
            state.cut()

    # --- what the link does

    def connected(self) -> None:
        """Begin again on a new connection: ask where the controller stands with every log."""
        self._connected = True
        for state in self._logs.values():
            if not state.fresh:
                self._say(state.ask())
            elif state.timer is None:
                self._follow(state)

    def disconnected(self) -> None:
        """Stop reading; what was not acknowledged is read again."""
        self._connected = False
        self._pieces.clear()
        self._others.clear()
        self._unacked = 0
        for state in self._logs.values():
            state.cut()

    def acked(self, ack: LogAck) -> None:
        """Take in what the controller has on disk."""
        key = AttemptKey(JobUid(ack.uid), ack.attempt)
        state = self._logs.get(key)
        if state is None:
            return
        self._unacked -= state.acked(ack.stdout, ack.stderr)
        self._credit.set()
        if ack.ended:
            self.forget(key)
            self._post(LogAcked(key=key))
        elif state.asked:
            state.asked = False
            state.start_at(ack.stdout, ack.stderr)
            self._follow(state)

    async def next_messages(self) -> list[AnyLogFromAgent]:
        """Wait until there is something to send and return it; pieces before the ends."""
        while not self._pieces and not self._others:
            self._wake.clear()
            await self._wake.wait()
        messages: list[AnyLogFromAgent] = [*_bundles(self._pieces), *self._others]
        self._pieces.clear()
        self._others.clear()
        return messages

    # --- reading

    def _follow(self, state: LogState) -> None:
        """Begin to send the log, if there is a link and nothing does it yet."""
        state.cancel_timer()
        if self._connected and state.reader is None and self._logs.get(state.key) is state:
            state.reader = self._group.create_task(self._read_all(state))

    async def _read_all(self, state: LogState) -> None:
        while True:
            try:
                async with self._slots if state.exited else nullcontext():
                    await self._read(state)
            except Exception:
                log.exception("the log of %s can't be read; trying again", state.key)
                await asyncio.sleep(READ_AGAIN_S)
            else:
                state.reader = None
                return self._say_end(state)

    async def _read(self, state: LogState) -> None:
        """Send the log from where the controller stands on."""
        source = self._runtime.log(
            state.key, state.handle, stdout_from=state.stdout, stderr_from=state.stderr
        )
        async with _closing(source) as pieces:
            async for piece in pieces:
                at = self._clock()
                for part in _parts(piece):
                    await self._credit_for(len(part.data))
                    self._send(state, part, at)

    async def _read_short(self, state: LogState) -> list[LogBytes] | None:
        """Return the whole log, or None when it is long or can't be read now."""
        total = 0
        pieces: list[LogBytes] = []
        source = self._runtime.log(state.key, state.handle, stdout_from=0, stderr_from=0)
        try:
            async with asyncio.timeout(SHORT_READ_WITHIN_S), _closing(source) as found:
                async for piece in found:
                    pieces.append(piece)
                    total += len(piece.data)
                    if total > SHORT_BYTES:
                        return None
        except Exception:
            log.exception("the log of %s can't be read; trying again", state.key)
            return None
        return pieces

    async def _credit_for(self, size: int) -> None:
        while self._unacked > 0 and self._unacked + size > WINDOW_BYTES:
            self._credit.clear()
            await self._credit.wait()

    def _send(self, state: LogState, piece: LogBytes, at: float) -> None:
        self._unacked += len(piece.data)
        self._pieces.append(state.sent(piece, at))
        self._wake.set()

    def _say_end(self, state: LogState) -> None:
        self._say(state.end())
        loop = asyncio.get_running_loop()
        state.timer = loop.call_later(ASK_AGAIN_S, self._ask_again, state)

    def _ask_again(self, state: LogState) -> None:
        state.timer = None
        if self._connected and self._logs.get(state.key) is state:
            self._say(state.ask())

    def _say(self, message: AnyLogFromAgent) -> None:
        self._others.append(message)
        self._wake.set()


@asynccontextmanager
async def _closing(source: AsyncIterator[LogBytes]) -> AsyncIterator[AsyncIterator[LogBytes]]:
    """Let go of what the reader holds, at once, however the block ends."""
    try:
        yield source
    finally:
        if isinstance(source, AsyncGenerator):
            await source.aclose()


def _lengths(pieces: list[LogBytes]) -> tuple[int, int]:
    ends = {piece.stream: piece.offset + len(piece.data) for piece in pieces}
    return ends.get("stdout", 0), ends.get("stderr", 0)


def _parts(piece: LogBytes) -> Iterator[LogBytes]:
    if len(piece.data) <= MAX_PIECE_BYTES:
        yield piece
        return
    for start in range(0, len(piece.data), MAX_PIECE_BYTES):
        data = piece.data[start : start + MAX_PIECE_BYTES]
        yield LogBytes(piece.stream, piece.offset + start, data)


def _bundles(pieces: list[LogPiece]) -> Iterator[LogPieces]:
    bundle: list[LogPiece] = []
    size = 0
    for piece in pieces:
        if bundle and size + len(piece.data) > BUNDLE_BYTES:
            yield LogPieces(pieces=tuple(bundle))
            bundle, size = [], 0
        bundle.append(piece)
        size += len(piece.data)
    if bundle:
        yield LogPieces(pieces=tuple(bundle))
