"""Durable submits per second into a full pool."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from bench.figures import Figure, Section, rates
from bench.pool import Agent, Pool, a_pool

JOB: Final = msgspec.json.encode({"command": ["true"], "cpus": 1})
BATCH: Final = 100
CLIENTS: Final = 16

Way = Callable[[Pool, int], Awaitable[None]]


async def measure(rounds: int, quick: bool) -> Section:
    """Submit in three ways in turn; what is submitted stays in line."""
    counts = (100, 400, 1000) if quick else (400, 3200, 5000)
    ways = dict(zip((_one_client, _many_clients, _batches), counts, strict=True))
    spans: dict[Way, list[float]] = {way: [] for way in ways}
    cpu: dict[Way, list[float]] = {way: [] for way in ways}
    async with a_pool(Agent(name="full", cpus=1)) as pool:
        blocker = await pool.submit({"command": ["sleep", "3600"], "cpus": 1})
        for way in ways:
            await way(pool, BATCH)
        for _ in range(rounds):
            for way, count in ways.items():
                spent, began = pool.controller.cpu_s(), time.perf_counter()
                await way(pool, count)
                spans[way].append(time.perf_counter() - began)
                cpu[way].append((pool.controller.cpu_s() - spent) * 1000 / count)
        await pool.cancel(blocker)
    names = {
        _one_client: ("one client", ""),
        _many_clients: (f"{CLIENTS} clients", "1,500"),
        _batches: (f"one client, batches of {BATCH}", "5,000"),
    }
    figures = []
    for way, count in ways.items():
        name, target = names[way]
        figures += [
            Figure(name=name, values=rates(count, spans[way]), unit="jobs/s", target=target),
            Figure(name="  controller's CPU", values=tuple(cpu[way]), unit="ms/job"),
        ]
    note = "clients: bare aiohttp, all in one process that shares the cores with the controller"
    title = "Durable submits into a full pool, no stream followed"
    return Section(title=title, figures=tuple(figures), notes=(note,))


async def _one_client(pool: Pool, count: int) -> None:
    for _ in range(count):
        await pool.post("/api/v1/jobs", JOB)


async def _many_clients(pool: Pool, count: int) -> None:
    async with asyncio.TaskGroup() as tasks:
        for _ in range(CLIENTS):
            tasks.create_task(_one_client(pool, count // CLIENTS))


async def _batches(pool: Pool, count: int) -> None:
    body = b'{"jobs":[' + b",".join([JOB] * BATCH) + b"]}"
    for _ in range(count // BATCH):
        await pool.post("/api/v1/jobs:batch", body)
