"""A team's pool on three machines, as docs/team.md has it: what of the ten minutes is waiting."""

import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from bench.figures import Figure, Section
from tests.rig.guide import HOSTS, typed_through
from tests.rig.hosts import hosts_on_a_network

ROOT: Final = Path(__file__).parents[1]
TITLE: Final = "A team's pool by docs/team.md: three hosts, and a person on a fourth"


async def measure(rounds: int, quick: bool) -> Section:
    """Clone and make the environment, as on each machine; then type the guide's every command."""
    if os.geteuid() != 0:
        return Section(title=TITLE, notes=("left out: only root makes network namespaces",))
    clones: list[float] = []
    guides: list[float] = []
    for _ in range(1 if quick else min(rounds, 3)):
        clones.append(await asyncio.to_thread(_clone))
        guides.append(await asyncio.to_thread(_guide))
    whole = tuple(map(sum, zip(clones, guides, strict=True)))
    figures = (
        Figure(name="git clone, make .venv/.ready", values=tuple(clones), unit="s"),
        Figure(name="every command, from the first to Ann's job", values=tuple(guides), unit="s"),
        Figure(name="together", values=whole, unit="s", target="600, with the typing"),
    )
    return Section(
        title=TITLE,
        figures=figures,
        notes=("warm package cache; machines are set up at the same time",),
    )


def _clone() -> float:
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        env = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
        began = time.perf_counter()
        for command in (
            ["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", folder],
            ["make", "-C", folder, ".venv/.ready"],
        ):
            subprocess.run(command, env=env, check=True, capture_output=True)
        return time.perf_counter() - began


def _guide() -> float:
    with hosts_on_a_network(*HOSTS) as hosts:
        began = time.perf_counter()
        typed_through(hosts)
        return time.perf_counter() - began
