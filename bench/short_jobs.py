"""Jobs per second through the whole pool: submitted, run as processes, ended, logs complete."""

import time
from typing import Final

import msgspec

from bench.figures import Figure, Section, rates
from bench.pool import POOL, Agent, Pool, a_pool

SLOTS: Final = 8
JOB: Final = {"command": ["true"], "cpus": 1}


async def measure(rounds: int, quick: bool) -> Section:
    """Run a batch of ``true`` a round."""
    count = 100 if quick else 500
    spans: list[float] = []
    cpu: dict[str, list[float]] = {"controller": [], "agent": []}
    async with a_pool(Agent(name="slots", cpus=SLOTS)) as pool:
        programs = {"controller": pool.controller, "agent": pool.agents[0]}
        await run_all(pool, SLOTS)
        for _ in range(rounds):
            spent = {name: program.cpu_s() for name, program in programs.items()}
            began = time.perf_counter()
            await run_all(pool, count)
            spans.append(time.perf_counter() - began)
            for name, program in programs.items():
                cpu[name].append((program.cpu_s() - spent[name]) * 1000 / count)
    figures = [
        Figure(name="throughput", values=rates(count, spans), unit="jobs/s", target="400"),
        *(
            Figure(name=f"  {name}'s CPU", values=tuple(values), unit="ms/job")
            for name, values in cpu.items()
        ),
    ]
    title = f"{count} jobs of `true` on the process runtime with {SLOTS} slots"
    return Section(title=title, figures=tuple(figures))


async def run_all(pool: Pool, count: int, *, pool_name: str = POOL) -> None:
    """Submit the jobs as one batch and wait until the last of them has ended.

    They go in order, so only the last few can be the last to end.
    """
    body = msgspec.json.encode({"jobs": [{**JOB, "pool": pool_name}] * count})
    items = msgspec.json.decode(await pool.post("/api/v1/jobs:batch", body))["items"]
    await pool.ended([item["id"] for item in items[-2 * SLOTS :]])
