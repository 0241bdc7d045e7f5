"""A real controller, its watched folder, and everything that people and crashes do to the two."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from eaas.client import Address, Client
from eaas.errors import EaasError
from eaas.views import JobView
from tests.rig.pool import Installation, an_installation
from tests.rig.restarts import Restarts

JOB: Final = "image: busybox\ncommand: 'true'\n"
DROPPED: Final = 200
KILLS: Final = 6
PIECES: Final = 10
LEFTOVERS: Final = {"x.yaml~", "#x.yaml#", ".x.yaml.swp", ".#x.yaml", "x.yaml.tmp", "4913"}
WITHIN_S: Final = 60.0


@pytest.fixture
async def pool() -> AsyncIterator[Installation]:
    """A controller with the pool ``default`` and no agent: jobs wait."""
    async with an_installation() as installation:
        installation.start_controller()
        async with installation.client() as client:
            await client.create_pool("default")
        yield installation


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not holds():  # noqa: ASYNC110 - a folder tells nobody
            await asyncio.sleep(0.02)


def lying(folder: Path) -> set[str]:
    """Return what lies there, but for the folder's own parts."""
    return {each.name for each in folder.iterdir()} - {".taken", ".holder", "accepted", "refused"}


def drop(inbox: Path, stage: Path, chance: random.Random) -> None:
    """Drop files at all times: by rename, in one piece, in two pieces, and one in ten."""
    stage.mkdir()
    for number in range(DROPPED):
        text = f"name: job-{number}\n{JOB}"
        if number % 3 == 0:
            (stage / "made").write_text(text)
            (stage / "made").rename(inbox / f"{number}.yaml")
        elif number % 3 == 1:
            (inbox / f"{number}.yaml").write_text(text)
        else:
            with (inbox / f"{number}.yaml").open("w", buffering=1) as writer:
                writer.write(text[:10])
                writer.flush()
                time.sleep(0.005)
                writer.write(text[10:])
        time.sleep(chance.uniform(0.0, 0.03))


async def all_jobs(client: Client) -> list[JobView]:
    return [job async for job in client.each_job()]


async def serves(client: Client) -> None:
    """Return when the controller that was just started answers."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            with suppress(EaasError):
                await client.status()
                return
            await asyncio.sleep(0.02)


async def test_every_file_is_exactly_one_job_however_often_the_controller_is_killed(
    tmp_path: Path,
) -> None:
    chance, inbox = random.Random(7), tmp_path / "home" / "inbox"
    with Restarts(tmp_path / "home") as controller:
        controller.start()
        async with Client(Address(socket=controller.paths.socket)) as client:
            await serves(client)
            await client.create_pool("default")
            dropping = threading.Thread(target=drop, args=(inbox, tmp_path / "stage", chance))
            dropping.start()
            for _ in range(KILLS):
                await asyncio.sleep(chance.uniform(0.1, 1.0))
                controller.end(signal.SIGKILL)
                controller.start()
                await serves(client)
            await asyncio.to_thread(dropping.join)
            await until(lambda: not lying(inbox) and not lying(inbox / ".taken"))

            jobs = {job.name: job.id for job in await all_jobs(client)}
            assert len(await all_jobs(client)) == DROPPED

    assert jobs.keys() == {f"job-{number}" for number in range(DROPPED)}
    assert lying(inbox / "refused") == set()
    files = {f"{jobs[f'job-{number}']}-{number}.yaml" for number in range(DROPPED)}
    assert lying(inbox / "accepted") == files | {f"{name}.status.yaml" for name in files}


def write_slowly(path: Path) -> None:
    """Write one file in ten pieces, a second apart, each at its end a job file by itself."""
    with path.open("w", buffering=1) as writer:
        for piece in range(PIECES):
            writer.write(f"---\nname: piece-{piece}\n{JOB}")
            writer.flush()
            time.sleep(1.0)


def edit(inbox: Path) -> set[str]:
    """Make job files as editors do, where they are there; return the jobs' names."""
    made = {"sed"}
    (inbox / "sed.yaml").write_text(f"name: draft\n{JOB}")
    subprocess.run(["sed", "-i", "s/draft/sed/", inbox / "sed.yaml"], check=True)
    if shutil.which("vim"):
        made.add("vim")
        lines = f"name: vim\n{JOB}".splitlines()
        script = ["+set backup", f"+call setline(1, {lines!r})", "+w", "+wq"]
        command = ["vim", "-es", "-u", "NONE", *script, str(inbox / "vim.yaml")]
        subprocess.run(command, check=True, timeout=20)
    for leftover in LEFTOVERS:
        (inbox / leftover).write_text(JOB)
    return made


async def test_a_slow_writer_and_peoples_editors_make_one_job_of_each_file(
    pool: Installation,
) -> None:
    inbox = pool.paths.inbox
    writing = asyncio.create_task(asyncio.to_thread(write_slowly, inbox / "slow.yaml"))
    made = await asyncio.to_thread(edit, inbox)
    await writing
    await until(lambda: lying(inbox) <= LEFTOVERS | {"vim.yaml~"})
    await until(lambda: not lying(inbox / ".taken"))

    async with pool.client() as client:
        names = sorted(job.name or "" for job in await all_jobs(client))
    assert names == sorted({*made, *(f"piece-{piece}" for piece in range(PIECES))})
    assert lying(inbox / "refused") == set()


async def test_people_see_what_their_folder_does(pool: Installation) -> None:
    inbox = pool.paths.inbox
    (pool.home / "made.yaml").write_text(JOB)
    (pool.home / "made.yaml").rename(inbox / "made.yaml")
    os.mkfifo(inbox / "7.cancel")
    await until(lambda: len(lying(inbox / "accepted")) == 2 and len(lying(inbox / "refused")) == 2)

    listed = pool.said("folder", "list").splitlines()
    assert [line.split()[:2] for line in listed[1:2]] == [[str(inbox), "watching"]]
    inbox.rename(pool.home / "away")
    async with pool.client() as client:
        async with asyncio.timeout(WITHIN_S):
            while (await client.folders())[0].state == "watching":  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        (folder,) = await client.folders()
        jobs = await all_jobs(client)

    assert (folder.accepted, folder.refused) == (1, 1)
    assert "is not there" in (folder.reason or "")
    assert [job.state for job in jobs] == ["Pending"]
    assert "is not there" in pool.said("events")


async def test_a_polite_end_loses_nothing_either(pool: Installation) -> None:
    inbox = pool.paths.inbox
    for number in range(100):
        (pool.home / "made").write_text(f"name: job-{number}\n{JOB}")
        (pool.home / "made").rename(inbox / f"{number}.yaml")

    assert pool.controller.terminate() == 0
    assert "Traceback" not in pool.controller.words
    pool.start_controller()
    await until(lambda: not lying(inbox) and not lying(inbox / ".taken"))

    async with pool.client() as client:
        names = [job.name for job in await all_jobs(client)]
    assert sorted(names, key=str) == sorted((f"job-{n}" for n in range(100)), key=str)
