"""What a scrape of ``/metrics`` takes in a full house, and how long it holds the loop."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from bench.figures import Figure, Section
from bench.live_pool import LivePool, LoopWatch
from eaas_daemon.core.still import still
from eaas_daemon.metrics.job_counts import JobCounts
from eaas_daemon.metrics.live import Live
from eaas_daemon.metrics.moment import Moment
from eaas_daemon.metrics.scrape import OPENMETRICS, format_for, pieces

JOBS: Final = 10_000
CARDS: Final = 800
SCRAPES: Final = 10
LOOP_TURNS: Final = 1_000_000


async def measure(rounds: int, quick: bool) -> Section:
    """Scrape a pool whose cards and jobs move, again and again."""
    pool = LivePool(JOBS, CARDS)
    pool.moves = "jobs"
    live = Live()
    JobCounts(pool.engine.state, live.jobs)
    running = asyncio.create_task(pool.run())
    taken = Taken(pool, live)
    for _ in range(rounds):
        await taken.round(2 if quick else SCRAPES)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    title = f"A scrape of {CARDS} cards and {JOBS:,} jobs, {taken.lines:,} lines, while they move"
    return Section(title=title, figures=taken.figures())


class Taken:
    """Milliseconds, the best of each round's scrapes but for how long the loop was held."""

    def __init__(self, pool: LivePool, live: Live) -> None:
        self._pool = pool
        self._live = live
        self.lines = 0
        self._spans: dict[str, list[float]] = {}

    async def round(self, scrapes: int) -> None:
        """Scrape that often."""
        watch = LoopWatch()
        watch.listen()
        await asyncio.sleep(1.0)
        self._note("held without a scrape", watch.tell())
        watch.listen()
        begun = [await self._scrape() for _ in range(scrapes)]
        self._note("held during scrapes", watch.tell())
        for at, name in enumerate(("picture", "answer", "CPU")):
            self._note(name, min(each[at] for each in begun))
        self._note("reference", min(milliseconds(_reference, time.process_time) for _ in range(3)))

    async def _scrape(self) -> tuple[float, float, float]:
        """Return what the picture, the whole answer and its CPU time took."""
        begun, spent = time.perf_counter(), time.process_time()
        moment = Moment(
            state=still(self._pool.engine.state),
            now=time.time(),
            version="0.1.0",
            database=Path("/nowhere"),
            subscribers=0,
            agents=0,
            log_stored_bytes=0,
            log_budget_bytes=1,
            folders=(),
        )
        pictured = time.perf_counter()
        parts = []
        for piece in pieces(moment, self._live.registry, format_for(OPENMETRICS)):
            parts.append(piece)
            await asyncio.sleep(0)
        self.lines = b"".join(parts).count(b"\n")
        done, used = time.perf_counter(), time.process_time()
        return (pictured - begun) * 1000, (done - begun) * 1000, (used - spent) * 1000

    def _note(self, name: str, ms: float) -> None:
        self._spans.setdefault(name, []).append(ms)

    def figures(self) -> tuple[Figure, ...]:
        """Return all of it."""
        asked = {"answer": "below 100", "held during scrapes": "below 50"}
        notes = {"CPU": "with what moves meanwhile", "reference": "a million turns of a loop"}
        return tuple(
            Figure(
                name=name,
                values=tuple(values),
                unit="ms",
                target=asked.get(name, ""),
                note=notes.get(name, ""),
            )
            for name, values in self._spans.items()
        )


def _reference() -> None:
    total = 0
    for at in range(LOOP_TURNS):
        total += at


def milliseconds(work: Callable[[], None], clock: Callable[[], float]) -> float:
    """Return what the work took by the clock."""
    begun = clock()
    work()
    return (clock() - begun) * 1000
