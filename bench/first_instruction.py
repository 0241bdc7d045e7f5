"""How long it takes from a submit to the first instruction of the job, on an idle pool."""

import asyncio
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from bench.figures import Figure, Section
from bench.machine import sync_spans_s
from bench.pool import Agent, Pool, a_pool

STAMP: Final = struct.Struct("@q")
PROGRAM: Final = """
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long stamp = now.tv_sec * 1000000000LL + now.tv_nsec;
    int pipe = open(words[1], O_WRONLY);
    return count != 2 || write(pipe, &stamp, sizeof stamp) != sizeof stamp;
}
"""
SYNCS: Final = 2
"""On the way: the controller's commit of the job and its place, the agent's of the order."""


async def measure(rounds: int, quick: bool) -> Section:
    """Submit one job after another to an idle pool; each says when it began."""
    times = 10 if quick else 40
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return Section(title=TITLE, notes=("not measured: a C compiler is needed",))
    spans: list[float] = []
    tails: list[float] = []
    syncs: list[float] = []
    async with a_pool(Agent(name="idle", cpus=2)) as pool:
        stamps = Stamps(pool.home, compiler)
        try:
            for _ in range(3):
                await _one(pool, stamps)
            for _ in range(rounds):
                found = sorted([await _one(pool, stamps) for _ in range(times)])
                spans.append(median(found) * 1000)
                tails.append(found[times * 9 // 10] * 1000)
                syncs.append(median(sync_spans_s(pool.home, times)) * 1000 * SYNCS)
        finally:
            stamps.close()
    figures = (
        Figure(name="median", values=tuple(spans), unit="ms", target="8 and the fsyncs"),
        Figure(name="9 of 10 within", values=tuple(tails), unit="ms"),
        Figure(name=f"the {SYNCS} fsyncs on the way alone", values=tuple(syncs), unit="ms"),
    )
    return Section(title=TITLE, figures=figures)


TITLE: Final = "From submit to the job's first instruction, idle pool, process runtime"


class Stamps:
    """A small program that says when it began, and the pipe it says it through."""

    def __init__(self, folder: Path, compiler: str) -> None:
        source = folder / "stamp.c"
        source.write_text(PROGRAM)
        self.program: Final = folder / "stamp"
        subprocess.run([compiler, "-O1", "-o", self.program, source], check=True)
        self.pipe: Final = folder / "stamps"
        os.mkfifo(self.pipe)
        self._handle = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)

    async def next_s(self) -> float:
        """Wait for the next stamp and return it in seconds of the monotonic clock."""
        loop = asyncio.get_running_loop()
        came: asyncio.Future[bytes] = loop.create_future()

        def read() -> None:
            loop.remove_reader(self._handle)
            came.set_result(os.read(self._handle, STAMP.size))

        loop.add_reader(self._handle, read)
        (stamp,) = STAMP.unpack(await came)
        return float(stamp) / 1e9

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._handle)


async def _one(pool: Pool, stamps: Stamps, clock: Callable[[], float] = time.monotonic) -> float:
    stamp = asyncio.ensure_future(stamps.next_s())
    await asyncio.sleep(0)  # the reader stands before the job is sent
    began = clock()
    number = await pool.submit({"command": [str(stamps.program), str(stamps.pipe)]})
    span_s = await stamp - began
    await pool.ended([number])
    return span_s
