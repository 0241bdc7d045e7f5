"""Brings pages of one attempt's log from the controller: on demand, as it grows, or all of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from eaas_tui.model.log_pages import PAGE_BYTES, TAIL, Ask, LogPages, around

if TYPE_CHECKING:
    from eaas.client.logs import LogSlice  # a quarter of a second, after the first paint

Stream = Literal["stdout", "stderr", "both"]

POLL_S: Final = 20.0
PIECE_BYTES: Final = 1 << 20
"""What one answer of the controller holds at most."""
SEARCH_HITS: Final = 100
"""As many hits as one answer has; when it has them, there may be more behind."""


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
        self, id: int, attempt: int, words: str, *, stream: Stream = ...
    ) -> list[dict[str, Any]]:
        """Return the first lines that have the words."""
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
        self, words: str, begin: int, *, backwards: bool, told: Callable[[int], None]
    ) -> int | None:
        """Return where the words stand next (or last before ``begin``), and bring that place.

        What is held is looked through here, the rest by the controller; beyond the hits it names
        at once the log is read through, and ``told`` hears how far that is.
        """
        hit = self.pages.find(words, begin, backwards=backwards)
        done = self.pages.reaches_top if backwards else self.pages.reaches_end
        if hit is not None or done:
            return hit
        hits = await self._client.search_log(self.job, self.attempt, words, stream=self.stream)
        hit = await self._beyond(hits, words, begin, backwards, told)
        if hit is None:
            return None
        await self.show(hit)
        for found in hits:
            self.pages.count_from(found["offset"], found["line"])
        return hit

    async def show(self, offset: int) -> None:
        """Bring the place into the window if it is not there."""
        if not self.pages.begin <= offset < self.pages.end:
            await self.fetch(around(offset))

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

    async def _beyond(
        self,
        hits: list[dict[str, Any]],
        words: str,
        begin: int,
        backwards: bool,
        told: Callable[[int], None],
    ) -> int | None:
        places: list[int] = [hit["offset"] for hit in hits]
        wanted = [place for place in places if (place < begin) == backwards]
        is_all = len(places) < SEARCH_HITS
        if not backwards:
            if wanted or is_all:
                return min(wanted, default=None)
            return await self._scan_on(words, max(begin, self.pages.end - len(words) * 4), told)
        if is_all or len(wanted) < len(places):
            return max(wanted, default=None)
        return await self._scan_back(words, max(places), min(begin, self.pages.begin), told)

    async def _scan_on(self, words: str, begin: int, told: Callable[[int], None]) -> int | None:
        """Read on from ``begin`` until the words come."""
        overlap = len(words.encode(errors="replace"))
        while True:
            told(begin)
            piece = await self._read(Ask(begin, PIECE_BYTES))
            found = _found(piece, words, backwards=False)
            if found is not None or piece.next >= piece.size or len(piece.data) <= overlap:
                return found
            begin = piece.next - overlap

    async def _scan_back(
        self, words: str, floor: int, end: int, told: Callable[[int], None]
    ) -> int | None:
        """Read back from ``end`` until the words come; they do at the floor at the latest."""
        overlap = len(words.encode(errors="replace"))
        while end > floor:
            told(end)
            begin = max(floor, end - PIECE_BYTES + overlap)
            piece = await self._read(Ask(begin, end - begin + overlap))
            found = _found(piece, words, backwards=True)
            if found is not None:
                return found
            end = begin
        return floor


def _found(piece: "LogSlice", words: str, *, backwards: bool) -> int | None:
    pages = LogPages(len(piece.data) + 1)
    pages.put(piece.offset, piece.data)
    begin = pages.end if backwards else pages.begin
    return pages.find(words, begin, backwards=backwards)
