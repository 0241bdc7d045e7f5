"""A stream like a controller's, of a pool of any size; run as a program of its own.

What moves each second is read from standard input, a word a line: ``jobs`` (a fiftieth of the
jobs and every card), ``cards`` (only these) or ``nothing``.
"""

import argparse
import asyncio
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import msgspec
from aiohttp import ClientConnectionResetError, web
from msgspec.structs import replace

from eaas.units import utc_text
from eaas.views import CardView, JobView, NodeView, StatusView
from eaas.wire.to_client import AnyToClient, Changes, Readings, Snapshot
from tests.rig.stand_in import StandIn, serving
from tests.rig.views import a_card, a_claim, a_job, a_node, a_pool, a_queue

CARDS_A_NODE: Final = 8
MOVING: Final = 50
"""One in so many jobs changes each second."""
USERS: Final = ("alice", "bob", "carol", "dave")
LOG_BYTES: Final = 10_000_000
LOG_END: Final = "@@@@@@@@"


class LivePool:
    """Jobs and cards that change by a seeded chance."""

    def __init__(self, jobs: int, cards: int) -> None:
        self._chance: Final = Random(7)
        self._seq = 1
        self.moves = "jobs"
        self.jobs: Final = {id: self._job(id, cards) for id in range(1, jobs + 1)}
        names = [f"node{at:03}" for at in range(cards // CARDS_A_NODE)]
        self._nodes: Final = {name: self._node(name, at) for at, name in enumerate(names)}

    def snapshot(self) -> Snapshot:
        """Return everything there is."""
        nodes = tuple(self._nodes.values())
        return Snapshot(
            seq=self._seq,
            epoch=1,
            at=utc_text(time.time()),
            pools=(a_pool("default", *self._nodes),),
            queues=(a_queue(),),
            nodes=nodes,
            jobs=tuple(self.jobs.values()),
        )

    def step(self) -> list[AnyToClient]:
        """Return what a second brings."""
        frames: list[AnyToClient] = []
        if self.moves == "jobs":
            frames.append(self._moved_jobs())
        if self.moves != "nothing":
            frames += [self._read(node) for node in list(self._nodes.values())]
        return frames

    def _moved_jobs(self) -> Changes:
        moved = self._chance.sample(sorted(self.jobs), max(1, len(self.jobs) // MOVING))
        for id in moved:
            job = self.jobs[id]
            self.jobs[id] = replace(job, priority=job.priority + self._chance.choice((-1, 1)))
        after, self._seq = self._seq, self._seq + 1
        changed = tuple(self.jobs[id] for id in moved)
        return Changes(after=after, seq=self._seq, at=utc_text(time.time()), jobs=changed)

    def _read(self, node: NodeView) -> Readings:
        cards = tuple(self._loaded(card) for card in node.cards)
        self._nodes[node.name] = replace(node, cards=cards)
        return Readings(
            at=utc_text(time.time()),
            node=node.name,
            cpus_used=float(self._chance.randint(8, 60)),
            memory_used_mib=self._chance.randint(50_000, 200_000),
            cards=cards,
        )

    def _loaded(self, card: CardView) -> CardView:
        load = min(100, max(0, (card.utilization_pct or 0) + self._chance.randint(-9, 9)))
        return replace(card, utilization_pct=load, temperature_c=35 + load // 2)

    def _job(self, id: int, cards: int) -> JobView:
        state = "Running" if id <= cards else "Pending"
        return a_job(id, state, user=USERS[id % len(USERS)], created_at=utc_text(time.time() - id))

    def _node(self, name: str, at: int) -> NodeView:
        first = at * CARDS_A_NODE + 1
        return a_node(name, *(self._card(name, index, first) for index in range(CARDS_A_NODE)))

    def _card(self, name: str, index: int, first: int) -> CardView:
        job = self.jobs[first + index]
        claim = a_claim(job.id, job.user)
        load = self._chance.randint(0, 100)
        about = {"state": "held", "claims": (claim,), "utilization_pct": load}
        return a_card(index, name, memory_used_mib=self._chance.randint(1, 24000), **about)


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
    stand_in.jobs.update(pool.jobs)
    log = a_log()
    stand_in.logs.update({(id, 1, "both"): log for id in pool.jobs})
    stand_in.answers["GET /api/v1/status"] = _status(pool)
    stand_in.answers["GET /api/v1/events"] = {"items": []}

    async def stream(request: web.Request) -> web.StreamResponse:
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        frames: list[AnyToClient] = [pool.snapshot()]
        with suppress(ClientConnectionResetError):
            while not websocket.closed:
                for frame in frames:
                    await websocket.send_str(msgspec.json.encode(frame).decode())
                await asyncio.sleep(1.0)
                frames = pool.step()
        return websocket

    stand_in.answers["GET /api/v1/stream"] = stream
    return stand_in


def _status(pool: LivePool) -> StatusView:
    names = ("pools", "nodes", "nodes_ready", "cards_total", "cards_free", "waiting", "running")
    return StatusView(
        version="0.1.0",
        epoch=1,
        started_at=utc_text(time.time()),
        seq=0,
        home="/",
        address=None,
        user=USERS[0],
        role="admin",
        **dict.fromkeys(names, 0),
    )


async def serve(socket: Path, pool: LivePool) -> None:
    """Serve the pool, as the lines that come in say, until they end."""
    async with serving(controller(pool), socket):
        while line := await asyncio.to_thread(sys.stdin.readline):
            pool.moves = line.strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("socket", type=Path)
    parser.add_argument("jobs", type=int)
    parser.add_argument("cards", type=int)
    given = parser.parse_args()
    asyncio.run(serve(given.socket, LivePool(given.jobs, given.cards)))
