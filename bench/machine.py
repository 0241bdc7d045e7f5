"""What the figures were measured on."""

import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aiodocker import Docker, DockerError

SYNC_BYTES: Final = 8192


async def describe(environ: Mapping[str, str], folder: Path) -> list[str]:
    """Return the machine in lines: cores, kernel, Python, SQLite, engine, disk, load."""
    cores = len(os.sched_getaffinity(0))
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    sync_ms = statistics.median(sync_spans_s(folder, 30)) * 1000
    return [
        f"{cores} cores, {processor()}, Linux {platform.release()}",
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"engine {await engine(environ)}",
        f"one fdatasync in {folder}: {sync_ms:.2f} ms; load average at the start: {load}",
    ]


async def engine(environ: Mapping[str, str]) -> str:
    """Return the container engine that answers, in words."""
    address = engine_address(environ)
    if address is None:
        return "none answers"
    async with Docker(address) as docker:
        version = await docker.version()
    name = version.get("Platform", {}).get("Name") or "Docker"
    return f"{name} {version['Version']}"


def engine_address(environ: Mapping[str, str]) -> str | None:
    """Return where a container engine's socket is, if there is one."""
    address = environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    is_there = not address.startswith("unix://") or Path(address.removeprefix("unix://")).exists()
    return address if is_there else None


async def engine_answers(environ: Mapping[str, str]) -> bool:
    """Tell whether containers can be measured."""
    address = engine_address(environ)
    if address is None:
        return False
    try:
        async with Docker(address) as docker:
            await docker.version()
    except (DockerError, OSError, ValueError):
        return False
    return True


def sync_spans_s(folder: Path, times: int) -> list[float]:
    """Return what it takes, each time, to get a commit's worth of new bytes onto the disk."""
    path = folder / ".sync"
    handle = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        return [_sync_span_s(handle, round_) for round_ in range(times)]
    finally:
        os.close(handle)
        path.unlink()


def _sync_span_s(handle: int, round_: int) -> float:
    os.pwrite(handle, bytes(SYNC_BYTES), round_ * SYNC_BYTES)
    began = time.perf_counter()
    os.fdatasync(handle)
    return time.perf_counter() - began


def processor() -> str:
    for text in Path("/proc/cpuinfo").read_text().splitlines():
        if text.startswith("model name"):
            return text.partition(":")[2].strip()
    return platform.machine()
