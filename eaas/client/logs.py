"""The client's calls about what jobs wrote: pieces by offset, tails, and logs followed live."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, Literal

import msgspec

from eaas.client.calls import Calls, place
from eaas.client.connection import ANSWER_S
from eaas.client.stream import StreamCalls
from eaas.lifecycle import ENDED
from eaas.views import JobView, LogMatchView, LogTimeView, Page

Stream = Literal["stdout", "stderr", "both"]

POLL_S: Final = 20.0
"""How long the controller may hold a question back until there is something to say."""
PIECE_BYTES: Final = 256 * 1024
TAIL_BYTES: Final = 64 * 1024
MAX_TAIL_BYTES: Final = 16 << 20
"""A tail reads back this far at most, however long its lines are."""
SILENT_POLLS: Final = 2
"""A log of an ended attempt that stays silent this often is taken as all there will be."""


class LogSlice(msgspec.Struct, frozen=True, kw_only=True):
    """Some bytes of a log, and where they stand in it."""

    attempt: int
    data: bytes
    offset: int
    """Where the piece begins; higher than asked for when earlier bytes are gone."""
    next: int
    """Where to ask on."""
    size: int
    """How many bytes there are by now."""
    complete: bool
    """True when no more than ``size`` bytes will ever come."""

    @property
    def is_last(self) -> bool:
        """Tell whether this is the end of the log."""
        return self.complete and self.next >= self.size


class LogCalls(StreamCalls, Calls):
    """Read logs. ``attempt`` is an attempt's number, from 1."""

    async def log(
        self,
        id: int,
        attempt: int,
        *,
        stream: Stream = "both",
        offset: int = 0,
        limit: int = PIECE_BYTES,
        wait_s: float = 0,
    ) -> LogSlice:
        """Return a piece of the log from ``offset`` on; a negative one counts from the end.

        With ``wait_s`` the answer may take that long when there is nothing new yet.
        """
        params = {"stream": stream, "offset": offset, "limit": limit, "wait_s": wait_s or None}
        path = place("jobs", id, "attempts", attempt, "log")
        async with self._connection.ask(
            "GET", path, params=params, answer_s=wait_s + ANSWER_S
        ) as response:
            data = await response.read()
            headers = response.headers
        begin = int(headers.get("X-Log-Offset", max(0, offset)))
        return LogSlice(
            attempt=attempt,
            data=data,
            offset=begin,
            next=int(headers.get("X-Log-Next", begin + len(data))),
            size=int(headers.get("X-Log-Size", begin + len(data))),
            complete=headers.get("X-Log-Complete") == "1",
        )

    async def read_log(
        self, id: int, attempt: int, *, stream: Stream = "both", offset: int = 0
    ) -> AsyncGenerator[LogSlice, None]:
        """Yield what is there now, piece by piece."""
        while True:
            piece = await self.log(id, attempt, stream=stream, offset=offset)
            yield piece
            if not piece.data or piece.next >= piece.size:
                return
            offset = piece.next

    async def tail_log(
        self, id: int, attempt: int, lines: int, *, stream: Stream = "both"
    ) -> LogSlice:
        """Return the last lines of what is there now; ask on at its ``next`` to follow."""
        wanted_bytes = TAIL_BYTES
        while True:
            piece = await self.log(
                id, attempt, stream=stream, offset=-wanted_bytes, limit=wanted_bytes
            )
            found = _last_lines(piece.data, lines)
            if found is not None or piece.offset == 0 or wanted_bytes >= MAX_TAIL_BYTES:
                kept = piece.data if found is None else found
                begin = piece.offset + len(piece.data) - len(kept)
                return msgspec.structs.replace(piece, data=kept, offset=begin)
            wanted_bytes *= 4

    async def follow_attempt(
        self, id: int, attempt: int, *, stream: Stream = "both", offset: int = 0
    ) -> AsyncGenerator[LogSlice, None]:
        """Yield the log of one attempt as it grows, until it is complete."""
        silent = 0
        while True:
            piece = await self.log(id, attempt, stream=stream, offset=offset, wait_s=POLL_S)
            if piece.data:
                yield piece
            offset, silent = piece.next, 0 if piece.data else silent + 1
            if piece.is_last:
                return
            if silent >= SILENT_POLLS and _is_over(await self.job(id), attempt):
                return

    async def follow_log(
        self,
        id: int,
        attempt: int = 1,
        *,
        stream: Stream = "both",
        offset: int = 0,
    ) -> AsyncGenerator[LogSlice, None]:
        """Yield the log of the job as it grows, through all its attempts, until the job ends.

        Begins with ``attempt`` at ``offset``; a job that waits is waited for.
        """
        number = attempt
        while True:
            if (await self._attempt_begun(id, number)).attempt < number:
                return
            following = self.follow_attempt(id, number, stream=stream, offset=offset)
            async with aclosing(following) as pieces:
                async for piece in pieces:
                    yield piece
            number, offset = number + 1, 0

    async def _attempt_begun(self, id: int, number: int) -> JobView:
        return await self.until(id, lambda job: job.attempt >= number)

    async def log_times(
        self, id: int, attempt: int, *, stream: Stream = "both", offset: int = 0, limit: int
    ) -> list[LogTimeView]:
        """Return when ``limit`` bytes from ``offset`` on arrived.

        Each moment has the first byte that arrived then; the first one stands at ``offset``.
        """
        path = place("jobs", id, "attempts", attempt, "log", "times")
        found: list[LogTimeView] = []
        begin: int | None = offset
        while begin is not None:
            params = {"stream": stream, "offset": begin, "limit": offset + limit - begin}
            page = await self._connection.call(Page[LogTimeView], "GET", path, params=params)
            found += page.items
            begin = None if page.next is None else int(page.next)
        return found

    async def search_log(
        self,
        id: int,
        attempt: int,
        words: str,
        *,
        stream: Stream = "both",
        after: str | int | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> Page[LogMatchView]:
        """Return the first lines that have the words, in any case, and where to search on.

        ``after`` is a byte, or what the ``next`` of a page said: what begins behind it is found.
        With ``before`` it is the last lines in which the words begin before that byte.
        """
        path = place("jobs", id, "attempts", attempt, "log", "search")
        params = {
            "q": words,
            "stream": stream,
            "after": after,
            "before": before,
            "limit": limit,
        }
        return await self._connection.call(Page[LogMatchView], "GET", path, params=params)


def _last_lines(data: bytes, lines: int) -> bytes | None:
    """Return the last lines of the data; None when it does not hold that many."""
    if lines <= 0:
        return b""
    end = len(data) - 1 if data.endswith(b"\n") else len(data)
    at = end
    for _ in range(lines):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            return None
    return data[at + 1 :]


def _is_over(view: JobView, attempt: int) -> bool:
    if view.state in ENDED:
        return True
    return any(one.number == attempt and one.finished_at is not None for one in view.attempts)
