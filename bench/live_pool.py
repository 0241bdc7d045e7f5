"""A controller's core and its stream over a pool of any size; run as a program of its own.

Jobs, steps and frames are the real ones; only agents, the database and the logs are made up.
What moves is read from standard input, a word a line: ``cards`` (every card once a second),
``jobs`` (these, and a fiftieth of the jobs), ``storm`` (these, and five hundred changes a second,
jobs that come and go among them) or ``nothing``. ``listen`` begins to measure how long the loop
is held at most, ``tell`` prints that in milliseconds.
"""

import argparse
import asyncio
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from aiohttp import web
from msgspec.structs import replace

from eaas.ids import JobNumber, NodeName, UserName
from eaas.job_spec import read_spec
from eaas.units import utc_text
from eaas.views import StatusView
from eaas.wire.from_agent import Beat, CardReport
from eaas_daemon.api.hub import Hub
from eaas_daemon.api.long_calls import LongCalls
from eaas_daemon.api.parts import CALLER
from eaas_daemon.api.stream import StreamRoutes
from eaas_daemon.clock import SystemClock
from eaas_daemon.core import events as e
from eaas_daemon.core.changes import Changes
from eaas_daemon.engine import Engine
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card
from tests.rig.stand_in import StandIn, serving

CARDS_A_NODE: Final = 8
MOVING: Final = 50
"""One in so many jobs changes each second."""
PARTS: Final = 10
"""A second's changes come in so many steps: nodes do not speak all at the same moment."""
STORM: Final = 50
"""Changes in each of these steps; a pool of this size has five of its own a second."""
CALLERS: Final = (ALICE, BOB, *(replace(BOB, user=UserName(name)) for name in ("carol", "dave")))
LOG_BYTES: Final = 10_000_000
LOG_END: Final = "@@@@@@@@"


class Unkept:
    """A database that forgets."""

    async def commit(self, changes: Changes) -> None:
        """Keep nothing."""


class LivePool:
    """Jobs and cards that change by a seeded chance."""

    def __init__(self, jobs: int, cards: int) -> None:
        self.moves = "nothing"
        self._chance: Final = Random(7)
        self._loads: Final = {
            f"node{at:03}": [self._chance.randint(0, 100) for _ in range(CARDS_A_NODE)]
            for at in range(cards // CARDS_A_NODE)
        }
        house = _a_house(jobs, self._loads)
        self.engine: Final = Engine(
            house.state, Unkept(), SystemClock(), lambda _uid, _attempt: (LOG_BYTES, 0)
        )
        self.hub: Final = Hub(self.engine)
        self.engine.listen(self.hub)
        self._waiting: Final = deque(
            job.number for job in house.state.jobs.values() if job.state == "Pending"
        )
        self._next_number = house.state.next_number

    async def run(self) -> None:
        """Let happen what happens, second after second."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.engine.run())
            tasks.create_task(self.engine.tick())
            while True:
                for part in range(PARTS):
                    for event in self._events(part):
                        self.engine.post(event)
                    await asyncio.sleep(1.0 / PARTS)

    def _events(self, part: int) -> Iterator[e.Event]:
        if self.moves != "nothing":
            for name in list(self._loads)[part::PARTS]:
                yield self._beat(name)
        if self.moves == "jobs" and part == 0:
            for _ in range(len(self._waiting) // MOVING):
                yield self._reordered()
        if self.moves == "storm":
            yield from self._storm()

    def _storm(self) -> Iterator[e.Event]:
        for at in range(STORM):
            if at % 5 == 0:
                yield e.Cancel(caller=ADMIN, number=self._waiting.popleft())
                yield e.Submit(caller=ALICE, specs=(read_spec(_job(at)),))
                self._waiting.append(JobNumber(self._next_number))
                self._next_number += 1
            else:
                yield self._reordered()

    def _reordered(self) -> e.Event:
        self._waiting.rotate(-1)
        priority = self._chance.randint(-5, 5)
        return e.SetPriority(caller=ADMIN, number=self._waiting[-1], priority=priority)

    def _beat(self, name: str) -> e.Event:
        loads = self._loads[name]
        loads[:] = [min(100, max(0, load + self._chance.randint(-9, 9))) for load in loads]
        beat = Beat(
            memory_used_mib=self._chance.randint(50_000, 200_000),
            loop_lag_s=0.0,
            cards=tuple(_card(name, index, load) for index, load in enumerate(loads)),
            sampled_at=time.time(),
        )
        return e.AgentBeat(node=NodeName(name), session=f"s-{name}", beat=beat)


def _a_house(jobs: int, nodes: dict[str, list[int]]) -> House:
    """Return a pool with so many jobs, each card held by one that runs."""
    house = House()
    house.now = time.time() - 60
    for name, loads in nodes.items():
        house.node(name, *(_card(name, index, load) for index, load in enumerate(loads)))
    house.pool("default", *nodes)
    for first in range(0, jobs, 1000):
        numbers = range(first, min(jobs, first + 1000))
        house.do(
            *(
                e.Submit(caller=CALLERS[at % len(CALLERS)], specs=(read_spec(_job(at)),))
                for at in numbers
            )
        )
    for job in list(house.state.jobs.values()):
        if job.state == "Starting":
            house.running(job)
    return house


def _job(at: int) -> dict[str, object]:
    return {
        "name": f"train-{at}",
        "image": "pytorch/pytorch:latest",
        "command": f"python train.py --lr 3e-4 --seed {at}",
        "gpus": 1,
    }


def _card(node: str, index: int, load: int) -> CardReport:
    card = a_card(index, node=node, utilization_pct=load, temperature_c=35 + load // 2)
    return replace(card, memory_used_mib=200 * load)


class LoopWatch:
    """How long the loop was held at most."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._longest_s = 0.0

    def listen(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._watch())

    def tell(self) -> float:
        """End, and return the longest time in milliseconds."""
        if self._task is not None:
            self._task.cancel()
        longest_s, self._longest_s = self._longest_s, 0.0
        return longest_s * 1000

    async def _watch(self) -> None:
        at = time.monotonic()
        while True:
            await asyncio.sleep(0)
            now = time.monotonic()
            self._longest_s, at = max(self._longest_s, now - at), now


def a_log() -> bytes:
    """Return a log of ten megabytes whose last line is like no other text."""
    lines = (f"step {at:07} loss {1 / (at + 1):.6f} lr 3e-4 grad {at % 97}\n" for at in count())
    log = bytearray()
    while len(log) < LOG_BYTES:
        log += next(lines).encode()
    return bytes(log) + LOG_END.encode() + b"\n"


def controller(pool: LivePool) -> StandIn:
    """Return what answers as the pool's controller."""
    stand_in = StandIn()
    painter, log = pool.engine.painter(), a_log()
    for job in pool.engine.state.jobs.values():
        if job.attempts:
            stand_in.jobs[job.number] = painter.job(job)
            stand_in.logs[job.number, 1, "both"] = log
    stand_in.answers["GET /api/v1/status"] = _status()
    stand_in.answers["GET /api/v1/events"] = {"items": []}
    routes = StreamRoutes(pool.hub, LongCalls())

    async def stream(request: web.Request) -> web.StreamResponse:
        request[CALLER] = ALICE
        return await routes.follow(request)

    stand_in.answers["GET /api/v1/stream"] = stream
    return stand_in


def _status() -> StatusView:
    names = ("pools", "nodes", "nodes_ready", "cards_total", "cards_free", "waiting", "running")
    counts: dict[str, Any] = dict.fromkeys(names, 0)
    return StatusView(
        version="0.1.0",
        epoch=1,
        started_at=utc_text(time.time()),
        seq=0,
        home="/",
        address=None,
        user=ALICE.user,
        role="admin",
        **counts,
    )


async def serve(socket: Path, pool: LivePool) -> None:
    """Serve the pool, as the lines that come in say, until they end."""
    watch = LoopWatch()
    async with serving(controller(pool), socket):
        running = asyncio.create_task(pool.run())
        while line := await asyncio.to_thread(sys.stdin.readline):
            match line.strip():
                case "listen":
                    watch.listen()
                case "tell":
                    print(f"{watch.tell():.1f}", flush=True)
                case moves:
                    pool.moves = moves
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("socket", type=Path)
    parser.add_argument("jobs", type=int)
    parser.add_argument("cards", type=int)
    given = parser.parse_args()
    asyncio.run(serve(given.socket, LivePool(given.jobs, given.cards)))
