"""Containers of `true` through the pool, beside bare create, start, wait and delete.

Both go to the same engine on the same network, and both count from the first request to the last
container's deletion, as the engine tells it.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from statistics import median
from typing import Any, Final

import aiohttp
import msgspec
from aiodocker import Docker

from bench.figures import Figure, Section, rates
from bench.machine import engine_address, engine_answers
from bench.pool import Agent, Pool, a_pool

IMAGE: Final = "mini-eaas/hello:1"
COMMAND: Final = ["true"]
SLOTS: Final = (4, 8)
WITHIN_S: Final = 120.0
TITLE: Final = "Containers of `true`, beside bare aiodocker on the same engine and network"


async def measure(rounds: int, quick: bool) -> Section:
    """Run containers both ways in turn, with each number of slots; then one at a time."""
    address = engine_address(os.environ)
    if address is None or not await engine_answers(os.environ):
        return Section(title=TITLE, notes=("not measured: no container engine answers",))
    count, alone = (20, 5) if quick else (100, 20)
    agents = [
        Agent(name=f"slots-{slots}", cpus=slots, runtime="docker", pool=f"pool-{slots}")
        for slots in SLOTS
    ]
    async with a_pool(*agents) as pool, Docker(address) as docker, Events.of(address) as events:
        both = Both(pool, docker, events)
        await both.warm_up()
        figures = await _throughput(both, rounds, count)
        figures += await _added(both, rounds, alone)
    return Section(title=TITLE, figures=tuple(figures))


class Events:
    """The engine's own word on containers, as it happens."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    @classmethod
    @asynccontextmanager
    async def of(cls, address: str) -> "AsyncIterator[Events]":
        """Listen from now on."""
        path = address.removeprefix("unix://")
        connector = aiohttp.UnixConnector(path) if path != address else aiohttp.TCPConnector()
        base = "http://localhost" if path != address else address.replace("tcp://", "http://")
        wanted = msgspec.json.encode({"type": ["container"], "event": ["start", "destroy"]})
        timeout = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(base, connector=connector, timeout=timeout) as session,
            session.get("/events", params={"filters": wanted.decode()}) as response,
        ):
            yield cls(response)

    async def until(self, action: str, count: int) -> float:
        """Wait for so many of them and return when the last was, in Unix seconds."""
        last = 0.0
        async with asyncio.timeout(WITHIN_S):
            while count:
                event = msgspec.json.decode(await self._response.content.readline())
                if event["Action"] == action:
                    count -= 1
                    last = event["timeNano"] / 1e9
        return last


class Both:
    """The two ways to run a container."""

    def __init__(self, pool: Pool, docker: Docker, events: Events) -> None:
        self._pool = pool
        self._docker = docker
        self._events = events

    async def warm_up(self) -> None:
        """Let the image and every connection be there."""
        for slots in SLOTS:
            await self.ours(slots, slots)
            await self.bare(slots, slots)

    async def ours(self, count: int, slots: int) -> float:
        """Run so many through the pool and return the seconds to the last one's deletion."""
        job = {"image": IMAGE, "command": COMMAND, "pool": f"pool-{slots}"}
        body = msgspec.json.encode({"jobs": [job] * count})
        began = time.time()
        await self._pool.post("/api/v1/jobs:batch", body)
        return await self._events.until("destroy", count) - began

    async def bare(self, count: int, slots: int) -> float:
        """Run so many without a pool, the same number at a time."""
        began = time.time()
        numbers = iter(range(count))
        async with asyncio.TaskGroup() as tasks:
            for _ in range(slots):
                tasks.create_task(self._some(numbers))
        return await self._events.until("destroy", count) - began

    async def _some(self, numbers: Iterable[int]) -> None:
        for _ in numbers:
            await self._one()

    async def _one(self) -> None:
        config: dict[str, Any] = {"Image": IMAGE, "Cmd": COMMAND}
        container = await self._docker.containers.create(config)
        await container.start()
        await container.wait()
        await container.delete()

    async def ours_to_start_s(self) -> float:
        """Return the seconds from a submit to the engine's word that the container started."""
        began = time.time()
        job = {"image": IMAGE, "command": COMMAND, "pool": f"pool-{SLOTS[0]}"}
        await self._pool.submit(job)
        span_s = await self._events.until("start", 1) - began
        await self._events.until("destroy", 1)
        return span_s

    async def bare_to_start_s(self) -> float:
        """Return the seconds from a bare create to the same word."""
        began = time.time()
        await self._one()
        span_s = await self._events.until("start", 1) - began
        await self._events.until("destroy", 1)
        return span_s


async def _throughput(both: Both, rounds: int, count: int) -> list[Figure]:
    ours: dict[int, list[float]] = {slots: [] for slots in SLOTS}
    bare: dict[int, list[float]] = {slots: [] for slots in SLOTS}
    for _ in range(rounds):
        for slots in SLOTS:
            bare[slots].append(await both.bare(count, slots))
            ours[slots].append(await both.ours(count, slots))
    figures = []
    for slots in SLOTS:
        ratios = tuple(b / o for b, o in zip(bare[slots], ours[slots], strict=True))
        figures += [
            Figure(name=f"{slots} at a time, bare", values=rates(count, bare[slots]), unit="/s"),
            Figure(name=f"{slots} slots, pool", values=rates(count, ours[slots]), unit="/s"),
            Figure(name="  ratio", values=ratios, unit="", target="0.93"),
        ]
    return figures


async def _added(both: Both, rounds: int, alone: int) -> list[Figure]:
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        pairs = [(await both.bare_to_start_s(), await both.ours_to_start_s()) for _ in range(alone)]
        bare.append(median(pair[0] for pair in pairs) * 1000)
        ours.append(median(pair[1] for pair in pairs) * 1000)
    added = tuple(o - b for o, b in zip(ours, bare, strict=True))
    return [
        Figure(name="one alone, bare create and start", values=tuple(bare), unit="ms"),
        Figure(name="one alone, submit to start", values=tuple(ours), unit="ms"),
        Figure(name="  added", values=added, unit="ms", target="20"),
    ]
