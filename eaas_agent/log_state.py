"""How far one attempt's log was read, sent and acknowledged."""

import asyncio
from typing import Final

from eaas.wire.logs import LogAsk, LogEnd, LogPiece
from eaas_agent.runtimes.port import AttemptKey, LogBytes, Stream


class LogState:
    """One log on its way. Offsets count the bytes of a stream since the attempt's start."""

    def __init__(self, key: AttemptKey, handle: str, *, fresh: bool) -> None:
        """``fresh``: nothing of it was ever sent, so the controller need not be asked."""
        self.key: Final = key
        self.handle: Final = handle
        self.fresh = fresh
        self.exited = False
        self.asked = False
        """An answer to ``LogAsk`` is due."""
        self.reader: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.gap_bytes = 0
        self._read: dict[Stream, int] = {"stdout": 0, "stderr": 0}
        self._unacked: dict[Stream, int] = {"stdout": 0, "stderr": 0}

    @property
    def stdout(self) -> int:
        """Return where stdout is to be read on."""
        return self._read["stdout"]

    @property
    def stderr(self) -> int:
        """Return where stderr is to be read on."""
        return self._read["stderr"]

    def start_at(self, stdout: int, stderr: int) -> None:
        """Read on from here, which is what the controller has."""
        self._read = {"stdout": stdout, "stderr": stderr}

    def sent(self, piece: LogBytes, at: float) -> LogPiece:
        """Count the piece as read and sent, with the gap before it, and return it for the wire.

        ``at`` is when it was read, in Unix seconds.
        """
        stream, size = piece.stream, len(piece.data)
        self.fresh = False
        self.gap_bytes += max(0, piece.offset - self._read[stream])
        self._read[stream] = piece.offset + size
        self._unacked[stream] += size
        return LogPiece(
            uid=self.key.uid,
            attempt=self.key.attempt,
            stream=stream,
            offset=piece.offset,
            data=piece.data,
            at=at,
        )

    def acked(self, stdout: int, stderr: int) -> int:
        """Take in what the controller has and return how many bytes that acknowledges."""
        acked = 0
        has: dict[Stream, int] = {"stdout": stdout, "stderr": stderr}
        for stream, offset in has.items():
            left = min(self._unacked[stream], max(0, self._read[stream] - offset))
            acked += self._unacked[stream] - left
            self._unacked[stream] = left
        return acked

    def ask(self) -> LogAsk:
        """Return the question where the controller stands, and remember that it was asked."""
        self.asked = True
        return LogAsk(uid=self.key.uid, attempt=self.key.attempt)

    def end(self) -> LogEnd:
        """Return the log's end, where it was read to."""
        self.fresh = False
        return LogEnd(
            uid=self.key.uid,
            attempt=self.key.attempt,
            stdout_bytes=self.stdout,
            stderr_bytes=self.stderr,
            gap_bytes=self.gap_bytes,
        )

    def cut(self) -> None:
        """Stop reading and forget what was under way."""
        self.cancel_timer()
        if self.reader is not None:
            self.reader.cancel()
            self.reader = None
        self.asked = False
        self._unacked = {"stdout": 0, "stderr": 0}

    def cancel_timer(self) -> None:
        """Follow no later than now, or not at all."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
