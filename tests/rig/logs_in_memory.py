"""A client of one job whose logs are in memory: it answers as the controller does."""

import asyncio
from typing import Any, Final

from eaas.client.logs import LogSlice
from eaas.errors import EaasError, NotFound
from eaas.views import EtaView, EventView, JobView, Page, WhyView

MOST_BYTES: Final = 1 << 20
MOST_HITS: Final = 100


class LogsInMemory:
    """Logs by attempt and stream; ``write`` wakes those who wait."""

    def __init__(self, job: JobView | None = None) -> None:
        self.view = job
        self.refusal: EaasError | None = None
        self.asked: list[tuple[int, int]] = []
        """Offset and limit of every question about a log."""
        self.complete = False
        self.whys: Final[list[int]] = []
        self._logs: Final[dict[tuple[int, str], bytearray]] = {}
        self._news = asyncio.Event()

    def write(self, data: bytes, *, attempt: int = 1, stream: str = "stdout") -> None:
        """Add to a log, and to both streams' own."""
        for name in (stream, "both"):
            self._logs.setdefault((attempt, name), bytearray()).extend(data)
        self._wake()

    def finish(self) -> None:
        """Let nothing more come."""
        self.complete = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def log(
        self,
        id: int,
        attempt: int,
        *,
        stream: str = "both",
        offset: int = 0,
        limit: int = MOST_BYTES,
        wait_s: float = 0,
    ) -> LogSlice:
        self.asked.append((offset, limit))
        if self.refusal is not None:
            raise self.refusal
        log = self._logs.get((attempt, stream), bytearray())
        begin = max(0, len(log) + offset) if offset < 0 else min(offset, len(log))
        news = self._news
        if wait_s and begin >= len(log) and not self.complete:
            try:
                async with asyncio.timeout(wait_s):
                    await news.wait()
            except TimeoutError:
                pass
            log = self._logs.get((attempt, stream), bytearray())
        data = bytes(log[begin : begin + min(limit, MOST_BYTES)])
        return LogSlice(
            attempt=attempt,
            data=data,
            offset=begin,
            next=begin + len(data),
            size=len(log),
            complete=self.complete,
        )

    async def search_log(
        self, id: int, attempt: int, words: str, *, stream: str = "both"
    ) -> list[dict[str, Any]]:
        log, begin = bytes(self._logs[attempt, stream]), 0
        found: list[dict[str, Any]] = []
        for number, line in enumerate(log.split(b"\n"), start=1):
            at = line.lower().find(words.lower().encode())
            if at >= 0 and len(found) < MOST_HITS:
                found.append({"offset": begin + at, "line": number, "text": line.decode()})
            begin += len(line) + 1
        return found

    async def job(self, id: int) -> JobView:
        if self.view is None:
            raise NotFound(f"there is no job {id}")
        return self.view

    async def why(self, id: int) -> WhyView:
        self.whys.append(id)
        return WhyView(
            job=id,
            state="Pending",
            verdict="waiting",
            text="waits for 2 cards, 1 is free",
            position=1,
            reasons=(),
            nodes=(),
            blockers=(),
            eta=EtaView(at=None, in_s=None, kind="unknown"),
            advice=("ask for one card",),
            as_of_seq=1,
        )

    async def events(
        self, *, after: int | None = None, limit: int | None = None, job: int | None = None
    ) -> Page[EventView]:
        return Page(
            [
                EventView(
                    seq=7,
                    at="2026-03-01T08:00:00.000Z",
                    kind="job.submitted",
                    text="job 42 was submitted by alice",
                    job=job,
                    node=None,
                    user="alice",
                )
            ]
        )
