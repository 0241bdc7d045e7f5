"""What the programs take when nothing happens: memory and CPU time."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.figures import Figure, Section
from bench.machine import engine_answers
from bench.pool import Agent, a_pool
from bench.programs import Program
from bench.short_jobs import SLOTS, run_all
from tests.rig.nvml_standin import StandIn, build_library, card, why_no_standin

WORKED_JOBS: Final = 500
SETTLE_S: Final = 3.0
STANDIN_CARDS: Final = 4


async def measure(rounds: int, quick: bool) -> Section:
    """Let the pool work a little, then watch it rest."""
    span_s = 5.0 if quick else 20.0
    runtimes = ["process", *(["docker"] if await engine_answers(os.environ) else [])]
    agents = [
        Agent(name=f"with-{kind}", cpus=SLOTS, runtime=kind, pool=f"pool-{kind}")
        for kind in runtimes
    ]
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        environ, cards = _driver(Path(folder))
        async with a_pool(*agents, environ=environ) as pool:
            await run_all(pool, WORKED_JOBS, pool_name="pool-process")
            await asyncio.sleep(SETTLE_S)
            names = ["controller", *(f"agent on {kind} and its driver child" for kind in runtimes)]
            programs = dict(zip(names, (pool.controller, *pool.agents), strict=True))
            figures = await _rest(programs, rounds, span_s)
    title = f"At rest for {span_s:g} s a round, after {WORKED_JOBS} jobs; {cards}"
    return Section(title=title, figures=tuple(figures))


def _driver(folder: Path) -> tuple[Mapping[str, str], str]:
    """Return the agents' environment and what cards they meet: this machine's, or pretended ones.

    Without any driver the child that reads cards would not stay, and its cost would be missed.
    """
    if shutil.which("nvidia-smi") is not None:
        return os.environ, "this machine's cards"
    if why_no_standin() is not None:
        return os.environ, "no cards, so no driver child stays"
    driver = StandIn(folder, build_library(folder))
    driver.install()
    cards = (line for index in range(STANDIN_CARDS) for line in card(index))
    driver.says(f"count={STANDIN_CARDS}", *cards)
    return driver.env, f"{STANDIN_CARDS} cards of a stand-in for NVIDIA's driver"


async def _rest(programs: dict[str, Program], rounds: int, span_s: float) -> list[Figure]:
    cpu: dict[str, list[float]] = {name: [] for name in programs}
    memory: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        spent = {name: program.family_cpu_s() for name, program in programs.items()}
        await asyncio.sleep(span_s)
        for name, program in programs.items():
            cpu[name].append((program.family_cpu_s() - spent[name]) / span_s * 100)
            memory[name].append(program.family_memory_mib())
    figures = []
    for name in programs:
        limit = "120" if name == "controller" else "80"
        figures += [
            Figure(name=f"{name}: memory", values=tuple(memory[name]), unit="MiB", target=limit),
            Figure(name="  CPU", values=tuple(cpu[name]), unit="% of a core", target="below 1"),
        ]
    return figures
