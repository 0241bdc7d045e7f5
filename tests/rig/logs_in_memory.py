"""A client of one job whose logs are in memory: it answers as the controller does."""

import asyncio
from typing import Final

from eaas.client.logs import LogSlice
from eaas.errors import EaasError, NotFound
from eaas.sample_views import JobSamplesView
from eaas.views import EventView, JobView, LogMatchView, LogTimeView, Page
from eaas.why_views import EtaView, WhyView
from eaas_daemon.logs.search import After, search, search_back

MOST_BYTES: Final = 1 << 20
MOST_HITS: Final = 100


class LogsInMemory:
    """Logs by attempt and stream; ``write`` wakes those who wait."""

    def __init__(self, job: JobView | None = None) -> None:
        self.view = job
        self.refusal: EaasError | None = None
        self.asked: list[tuple[int, int]] = []
        """Offset and limit of every question about a log."""
        self.searched: list[tuple[str | None, int | None]] = []
        """Behind and before which place the controller had to search."""
        self.times: list[tuple[int, str | None]] = [(0, None)]
        """When which byte of every log arrived."""
        self.timed: list[tuple[int, int]] = []
        """Offset and limit of every question about times."""
        self.runs: dict[int | None, JobSamplesView] = {}
        """What the cards did, by attempt."""
        self.runs_asked: list[int | None] = []
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
        self,
        id: int,
        attempt: int,
        words: str,
        *,
        stream: str = "both",
        after: str | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> Page[LogMatchView]:
        self.searched.append((after, before))
        log = bytes(self._logs[attempt, stream])

        def read_at(offset: int, length: int) -> bytes:
            return log[offset : offset + length]

        if before is not None:
            found = search_back(read_at, words, limit=limit or MOST_HITS, before=before)
        else:
            place = None if after is None else After(*map(int, after.split(":")))
            found = search(read_at, words, limit=limit or MOST_HITS, after=place)
        views = [
            LogMatchView(offset=one.offset, line=one.line, text=one.text) for one in found.matches
        ]
        return Page(views)

    async def log_times(
        self, id: int, attempt: int, *, stream: str = "both", offset: int = 0, limit: int
    ) -> list[LogTimeView]:
        self.timed.append((offset, limit))
        if self.refusal is not None:
            raise self.refusal
        first = [at for begin, at in self.times if begin <= offset][-1:]
        rest = [one for one in self.times if offset < one[0] < offset + limit]
        told = [*((offset, at) for at in first), *rest]
        return [LogTimeView(offset=begin, at=at) for begin, at in told]

    async def job_samples(self, id: int, *, attempt: int | None = None) -> JobSamplesView:
        self.runs_asked.append(attempt)
        if attempt not in self.runs:
            raise NotFound("this controller keeps no samples")
        return self.runs[attempt]

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
