"""How soon a file in a watched folder is a job, and what ten thousand at once do."""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from bench.figures import Figure, Section
from bench.pool import Pool, a_pool
from eaas_daemon.intake.door import RESCAN_S
from eaas_daemon.intake.intake import Intake
from eaas_daemon.intake.settings import FolderSettings
from tests.daemon.api.served import a_house

JOB: Final = "name: {name}\nimage: busybox\ncommand: 'true'\n"
FILES: Final = 10_000
LOOK_EVERY_S: Final = 0.005
ASK_EVERY_S: Final = 0.02
WITHIN_S: Final = 600.0
BUCKET: Final = 'mini_eaas_event_loop_lag_seconds_bucket{le="'

Put = Callable[[Path, Path, str], None]


async def measure(rounds: int, quick: bool) -> Section:
    """Drop files one by one in each way, then very many together."""
    figures = [
        *await _one_by_one(rounds if quick else rounds * 2),
        await _unheard(rounds),
        *await _all_at_once(FILES // 10 if quick else FILES),
    ]
    note = "of a local disk; answers are timed by a client that shares the cores with all of this"
    return Section(title="Job files in a watched folder", figures=tuple(figures), notes=(note,))


def _written(inbox: Path, stage: Path, name: str) -> None:
    (inbox / name).write_text(JOB.format(name=name))


def _renamed(inbox: Path, stage: Path, name: str) -> None:
    (stage / name).write_text(JOB.format(name=name))
    (stage / name).rename(inbox / name)


async def _one_by_one(times: int) -> list[Figure]:
    spans: dict[Put, list[float]] = {_written: [], _renamed: []}
    async with a_pool() as pool:
        inbox, stage = await _ready(pool)
        for number in range(times):
            for put, taken in spans.items():
                taken.append(await _span(put, inbox, stage, f"{number}{put.__name__}.yaml"))
    return [
        Figure(name="a finished write", values=tuple(spans[_written]), unit="s", target="3"),
        Figure(name="a rename, at once after", values=tuple(spans[_renamed]), unit="s", target="1"),
    ]


async def _unheard(times: int) -> Figure:
    """Write where the system tells of nothing, at any moment between two looks."""
    chance, spans = Random(7), list[float]()
    with tempfile.TemporaryDirectory(prefix="eaas-bench-") as folder:
        home = Path(folder)
        (home / "inbox").mkdir()
        async with a_house(home) as house:
            await house.pool("default")
            intake = Intake(
                house.engine,
                house.parts.logs,
                os.geteuid(),
                house.clock,
                name="bench",
                hints=False,
            )
            house.engine.listen(intake)
            intake.watch([FolderSettings(path=home / "inbox")])
            working = asyncio.create_task(intake.work())
            for number in range(times):
                await asyncio.sleep(chance.uniform(0.0, RESCAN_S))
                spans.append(await _span(_written, home / "inbox", home, f"{number}.yaml"))
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
    return Figure(
        name="a finished write, of which no system tells", values=tuple(spans), unit="s", target="8"
    )


async def _ready(pool: Pool) -> tuple[Path, Path]:
    """Return the watched folder and one beside it on the same disk."""
    await pool.post("/api/v1/pools", b'{"name": "default"}')
    stage = pool.home / "stage"
    stage.mkdir()
    await asyncio.sleep(1.0)
    return pool.home / "inbox", stage


async def _span(put: Put, inbox: Path, stage: Path, name: str) -> float:
    """Return the seconds from when the file is whole to when it is an accepted job."""
    await asyncio.to_thread(put, inbox, stage, name)
    begun = time.perf_counter()
    await _until(lambda: _is_accepted(inbox, name))
    return time.perf_counter() - begun


def _is_accepted(inbox: Path, name: str) -> bool:
    return any(
        each.name.endswith(f"-{name}.status.yaml") for each in (inbox / "accepted").iterdir()
    )


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not holds():  # noqa: ASYNC110 - a folder tells nobody
            await asyncio.sleep(LOOK_EVERY_S)


async def _all_at_once(files: int) -> list[Figure]:
    async with a_pool() as pool:
        inbox, stage = await _ready(pool)
        for number in range(files):
            (stage / f"{number}.yaml").write_text(JOB.format(name=f"job-{number}"))
        answers: list[float] = []
        asking = asyncio.create_task(_ask_on(pool, answers))
        spent, begun = pool.controller.cpu_s(), time.perf_counter()
        await asyncio.to_thread(_move_all, stage, inbox, files)
        await _answered(pool, files)
        span, spent = time.perf_counter() - begun, pool.controller.cpu_s() - spent
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await _check_once_each(pool, files)
        held_ms = _late_by_less_ms(await pool.get("/metrics"))
        memory = pool.controller.family_memory_mib()
    return [
        Figure(name=f"{files:,} files at once", values=(span,), unit="s", target="90"),
        Figure(name="  controller's CPU", values=(spent * 1000 / files,), unit="ms/file"),
        Figure(name="  its loop was late by less than", values=(held_ms,), unit="ms", target="250"),
        Figure(name="  99 of 100 requests answered in", values=(_nth_ms(answers, 99),), unit="ms"),
        Figure(name="  every request answered in", values=(_nth_ms(answers, 100),), unit="ms"),
        Figure(name="  controller's memory after", values=(memory,), unit="MiB"),
    ]


def _nth_ms(answers: list[float], percent: int) -> float:
    """Return the time within which so many of a hundred answers came."""
    return sorted(answers)[max(0, len(answers) * percent // 100 - 1)] * 1000


def _move_all(stage: Path, inbox: Path, files: int) -> None:
    for number in range(files):
        os.rename(stage / f"{number}.yaml", inbox / f"{number}.yaml")


async def _ask_on(pool: Pool, answers: list[float]) -> None:
    while True:
        begun = time.perf_counter()
        await pool.get("/api/v1/status")
        answers.append(time.perf_counter() - begun)
        await asyncio.sleep(ASK_EVERY_S)


async def _answered(pool: Pool, files: int) -> None:
    async with asyncio.timeout(WITHIN_S):
        while True:
            (folder,) = msgspec.json.decode(await pool.get("/api/v1/folders"))["items"]
            if folder["accepted"] + folder["refused"] >= files:
                return
            await asyncio.sleep(0.1)


async def _check_once_each(pool: Pool, files: int) -> None:
    names: list[str] = []
    cursor = ""
    while True:
        page = msgspec.json.decode(await pool.get(f"/api/v1/jobs?limit=1000{cursor}"))
        names += [job["name"] for job in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    if sorted(names) != sorted(f"job-{number}" for number in range(files)):
        raise RuntimeError(
            f"{files} files became {len(names)} jobs, {len(set(names))} of them once"
        )


def _late_by_less_ms(metrics: bytes) -> float:
    """Return the bound below which the controller's loop was always late, by its own word."""
    found: dict[float, float] = {}
    for line in metrics.decode().splitlines():
        if line.startswith(BUCKET):
            bound, _, count = line.removeprefix(BUCKET).partition('"} ')
            found[float(bound.replace("+Inf", "inf"))] = float(count)
    most = max(found.values())
    return min(bound for bound, count in found.items() if count == most) * 1000
