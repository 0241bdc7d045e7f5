"""Brings pages of one attempt's log from the controller: on demand, as it grows, or all of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from eaas.views import LogMatchView, LogTimeView, Page
from eaas_tui.model.format import unix
from eaas_tui.model.log_pages import PAGE_BYTES, TAIL, Ask, LogPages, around

if TYPE_CHECKING:
    from eaas.client.logs import LogSlice  # a quarter of a second, after the first paint

Stream = Literal["stdout", "stderr", "both"]

POLL_S: Final = 20.0
PIECE_BYTES: Final = 1 << 20
"""What one answer of the controller holds at most."""


class LogClient(Protocol):
    """What is asked of the client."""

    async def log(
        self,
        id: int,
        attempt: int,
        *,
        stream: Stream = ...,
        offset: int = ...,
        limit: int = ...,
        wait_s: float = ...,
    ) -> "LogSlice":
        """Return a piece of a log."""
        ...

    async def search_log(
        self,
        id: int,
        attempt: int,
        words: str,
        *,
        stream: Stream = ...,
        after: str | None = ...,
        before: int | None = ...,
        limit: int | None = ...,
    ) -> Page[LogMatchView]:
        """Return the lines that have the words, behind a place or before it."""
        ...

    async def log_times(
        self, id: int, attempt: int, *, stream: Stream = ..., offset: int = ..., limit: int
    ) -> list[LogTimeView]:
        """Return when a part of a log arrived."""
        ...


class LogSource:
    """One stream of one attempt, and the window of it that is held."""

    def __init__(self, client: LogClient, job: int, attempt: int, stream: Stream) -> None:
        self.job: Final = job
        self.attempt: Final = attempt
        self.stream: Final[Stream] = stream
        self.pages: Final = LogPages()
        self._client = client

    async def open(self) -> None:
        """Bring the log's end."""
        await self.fetch(TAIL)

    async def fetch(self, ask: Ask) -> None:
        """Bring a piece into the window."""
        piece = await self._read(ask)
        self.pages.heard(piece.size, complete=piece.complete)
        self.pages.put(piece.offset, piece.data)

    async def poll(self, keep_from: Callable[[], int | None]) -> None:
        """Wait for something new and take it in.

        ``keep_from`` says where somebody reads, None when only the end counts: then a log that
        grows faster than it can be brought is shown from its newest page on. What does not fit
        beside that which somebody reads only counts into the size.
        """
        pages = self.pages
        if not pages.reaches_end and keep_from() is None:
            await self.fetch(TAIL)
            return
        is_held = pages.reaches_end
        ask = Ask(pages.end, PAGE_BYTES) if is_held else Ask(pages.size, 1)
        piece = await self._read(ask, wait_s=POLL_S)
        pages.heard(piece.size, complete=piece.complete)
        if keep_from() is None and piece.size - piece.next > PAGE_BYTES:
            await self.fetch(TAIL)
        elif is_held and piece.offset == pages.end:
            pages.put(piece.offset, piece.data, keep_from=keep_from())

    async def seek(
        self, words: str, begin: int, *, backwards: bool, asks: Callable[[], None]
    ) -> int | None:
        """Return where the words stand next (or last before ``begin``), and bring that place.

        What is held is looked through here, the rest by the controller, which answers with the
        next hit alone; ``asks`` hears that it is asked.
        """
        pages = self.pages
        hit = pages.find(words, begin, backwards=backwards)
        if hit is not None or (pages.reaches_top if backwards else pages.reaches_end):
            return hit
        asks()
        page = await (self._before if backwards else self._after)(words, begin)
        if not page.items:
            return None
        (found,) = page.items
        await self.show(found.offset)
        if found.line is not None:
            pages.count_from(found.offset, found.line)
        return found.offset

    async def _after(self, words: str, begin: int) -> Page[LogMatchView]:
        """Search behind what is held, or behind where to begin if that is elsewhere."""
        pages = self.pages
        if pages.begin <= begin <= pages.end:
            begin = max(begin, pages.end - 4 * len(words))
        line = pages.line_of(begin)
        after = None if begin == 0 else f"{begin - 1}:{line}" if line else f"{begin - 1}"
        return await self._client.search_log(
            self.job, self.attempt, words, stream=self.stream, after=after, limit=1
        )

    async def _before(self, words: str, begin: int) -> Page[LogMatchView]:
        pages = self.pages
        before = pages.begin if pages.begin <= begin <= pages.end else begin
        return await self._client.search_log(
            self.job, self.attempt, words, stream=self.stream, before=before, limit=1
        )

    async def show(self, offset: int) -> None:
        """Bring the place into the window if it is not there."""
        if not self.pages.begin <= offset < self.pages.end:
            await self.fetch(around(offset))

    async def times(self, ask: Ask) -> list[tuple[int, float | None]]:
        """Return when the bytes arrived: each moment, in Unix seconds, with its first byte."""
        told = await self._client.log_times(
            self.job, self.attempt, stream=self.stream, offset=ask.offset, limit=ask.limit
        )
        return [(one.offset, unix(one.at)) for one in told]

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield every byte that the log has by now."""
        offset, size = 0, None
        while size is None or offset < size:
            limit = PIECE_BYTES if size is None else min(PIECE_BYTES, size - offset)
            piece = await self._read(Ask(offset, limit))
            size = piece.size if size is None else size
            if not piece.data:
                return
            yield piece.data
            offset = piece.next

    async def save(self, path: Path, told: Callable[[int], None]) -> int:
        """Write the log to a new file, byte for byte; return how many there were."""
        written = 0
        with path.open("xb") as file:
            async for data in self.pieces():
                await asyncio.to_thread(file.write, data)
                written += len(data)
                told(written)
        return written

    async def _read(self, ask: Ask, wait_s: float = 0) -> "LogSlice":
        return await self._client.log(
            self.job,
            self.attempt,
            stream=self.stream,
            offset=ask.offset,
            limit=ask.limit,
            wait_s=wait_s,
        )
