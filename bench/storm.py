"""What a storm of submits over REST does to a controller with a large pool: how late its loop is.

Database, REST, planner and stream are the product's own; the nodes are agents on paper, in the
controller's process. Run as a program it is that controller; it prints how late its loop was.
"""

import asyncio
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import aiohttp
import msgspec

from bench.figures import Figure, Section
from bench.planning import ADMIN, LAB, POOL, kinds
from bench.pool import JSON
from bench.programs import cpu_s
from bench.simulate.agents import Agent
from eaas.job_spec import spec_as_typed
from eaas.paths import paths_from
from eaas_daemon.app import Controller, assemble
from eaas_daemon.clock import SystemClock
from eaas_daemon.config import ControllerConfig
from eaas_daemon.core import events as e
from eaas_daemon.headless import leave_what_is_loaded

SUBMITS: Final = 10_000
CLIENTS: Final = 32
EVERY_S: Final = 0.01
BEAT_S: Final = 2.0
PARTS: Final = 20
"""The nodes beat in so many groups, one after the other."""


async def measure(rounds: int, quick: bool) -> Section:
    """Submit as fast as the controller takes it; ask then how late its loop has been."""
    count = SUBMITS // 20 if quick else SUBMITS
    told = [await _storm(count) for _ in range(1 if quick else min(rounds, 3))]
    took, cpu, *lags = (tuple(values) for values in zip(*told, strict=True))
    figures = [
        Figure(name=f"{count:,} submits", values=took, unit="s", target="60"),
        Figure(name="  controller's CPU", values=cpu, unit="ms/job"),
    ]
    names = (("median", ""), ("99 %", ""), ("99.9 %", "below 250"), ("longest", ""))
    figures += [
        Figure(name=f"loop late, {name}", values=values, unit="ms", target=target)
        for (name, target), values in zip(names, lags, strict=True)
    ]
    notes = (
        f"{CLIENTS} bare clients in one process that shares the cores; one submit, one job",
        f"the loop is asked every {EVERY_S * 1000:.0f} ms; a busy machine makes it late as well",
    )
    title = f"A storm of submits into {POOL.nodes} nodes with {POOL.cards} cards each"
    return Section(title=title, figures=tuple(figures), notes=notes)


async def _storm(count: int) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as home:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.storm", home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert program.stdin is not None
        assert program.stdout is not None
        await program.stdout.readline()
        began, spent = time.perf_counter(), cpu_s(program.pid)
        await _submit(Path(home) / "controller.sock", count)
        took = time.perf_counter() - began
        cpu = (cpu_s(program.pid) - spent) * 1000 / count
        program.stdin.close()
        lags = msgspec.json.decode(await program.stdout.read(), type=list[float])
        await program.wait()
    return took, cpu, *lags


async def _submit(socket: Path, count: int) -> None:
    bodies = [msgspec.json.encode({**spec_as_typed(spec), "pool": LAB}) for spec in kinds()]
    todo = iter(itertools.islice(itertools.cycle(bodies), count))
    connector = aiohttp.UnixConnector(str(socket), limit=0)
    async with aiohttp.ClientSession("http://localhost", connector=connector) as session:

        async def client() -> None:
            for body in todo:
                async with session.post("/api/v1/jobs", data=body, headers=JSON) as answer:
                    await answer.read()
                answer.raise_for_status()

        async with asyncio.TaskGroup() as tasks:
            for _ in range(CLIENTS):
                tasks.create_task(client())


# --- the controller


async def serve(home: Path) -> None:
    """Serve a pool of agents on paper until standard input ends; print how late the loop was."""
    paths = paths_from({**os.environ, "MINI_EAAS_HOME": str(home)})
    paths.inbox.mkdir()
    until, lags = asyncio.Event(), list[float]()

    async def attend(controller: Controller) -> None:
        leave_what_is_loaded()
        await _furnish(controller)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_beat(controller))
            print("ready", flush=True)
            tasks.create_task(_watch(lags))
            await asyncio.to_thread(sys.stdin.read)
            until.set()

    async with AsyncExitStack() as stack:
        controller = await assemble(paths, ControllerConfig(port=0), SystemClock(), stack)
        await controller.work(until, attend)
    print(msgspec.json.encode(_figures(lags)).decode(), flush=True)


async def _furnish(controller: Controller) -> None:
    engine = controller.engine
    await engine.ask(e.CreatePool(caller=ADMIN, name=LAB))
    for number in range(POOL.nodes):
        agent = Agent(number, POOL)
        engine.post(agent.hello())
        join = e.AddToPool(caller=ADMIN, pool=LAB, node=agent.name, cards=None)
        await engine.ask(join)


async def _beat(controller: Controller) -> None:
    agents = [Agent(number, POOL) for number in range(POOL.nodes)]
    for part in itertools.cycle(range(PARTS)):
        for agent in agents[part::PARTS]:
            controller.engine.post(agent.beats(time.time()))
        await asyncio.sleep(BEAT_S / PARTS)


async def _watch(lags: list[float]) -> None:
    while True:
        due = time.perf_counter() + EVERY_S
        await asyncio.sleep(EVERY_S)
        lags.append(max(0.0, time.perf_counter() - due))


def _figures(lags: Sequence[float]) -> list[float]:
    """Return median, 99 %, 99.9 % and the longest, in milliseconds."""
    ranked = sorted(lags)
    places = [len(ranked) // 2, int(len(ranked) * 0.99), int(len(ranked) * 0.999), len(ranked) - 1]
    return [ranked[place] * 1000 for place in places]


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
