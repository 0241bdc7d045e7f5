"""From a clone to the end of the first job, and the second run of the same version."""

import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from bench.figures import Figure, Section

ROOT: Final = Path(__file__).parents[1]


async def measure(rounds: int, quick: bool) -> Section:
    """Clone, install and run the first job; again in the same clone."""
    first: list[float] = []
    second: list[float] = []
    for round_ in range(1 if quick else min(rounds, 3) + 1):
        one, two = await asyncio.to_thread(_once)
        if round_ or quick:  # the very first one fills pip's cache
            first.append(one)
            second.append(two)
    figures = (
        Figure(name="git clone, ./install.sh", values=tuple(first), unit="s", target="90"),
        Figure(name="./install.sh again", values=tuple(second), unit="s", target="10"),
    )
    title = "From clone to the first job's end, warm package cache"
    return Section(title=title, figures=figures, notes=(f"{len(first)} rounds",))


def _once() -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        clone, home = Path(folder, "clone"), Path(folder, "home")
        env = {**os.environ, "MINI_EAAS_HOME": str(home)}
        env.pop("VIRTUAL_ENV", None)
        try:
            began = time.perf_counter()
            _run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(clone)], env)
            _run([str(clone / "install.sh")], env)
            between = time.perf_counter()
            _run([str(clone / "install.sh")], env)
            return between - began, time.perf_counter() - between
        finally:
            down = [str(clone / ".venv/bin/mini-eaas"), "down", "--stop-jobs"]
            subprocess.run(down, env=env, check=False, capture_output=True)


def _run(command: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
