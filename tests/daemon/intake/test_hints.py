import asyncio
import ctypes
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from eaas_daemon.intake.folder import Identity
from eaas_daemon.intake.hints import Hints


@pytest.fixture(autouse=True)
def _ears() -> None:
    """Two are needed, and a user has only so many for all programs together."""
    libc = ctypes.CDLL(None)
    ears = [libc.inotify_init1(os.O_CLOEXEC) for _ in range(2)]
    for ear in ears:
        if ear >= 0:
            os.close(ear)
    if min(ears) < 0:
        pytest.skip("this user's programs have used up fs.inotify.max_user_instances")


class Ear:
    """Hears which folders are woken."""

    def __init__(self) -> None:
        self.hints = Hints(self._woken)
        self._news = asyncio.Condition()
        self._count: dict[Path, int] = {}

    def _woken(self, path: Path) -> None:
        self._count[path] = self._count.get(path, 0) + 1
        self._tell = asyncio.ensure_future(self._notify())

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def hears(self, path: Path) -> None:
        """Return when the folder is woken once more; something happens in it until then."""
        before = self._count.get(path, 0)
        async with asyncio.timeout(20), self._news:
            await self._news.wait_for(lambda: self._count.get(path, 0) > before)


@asynccontextmanager
async def listening(*paths: Path) -> AsyncIterator[Ear]:
    ear = Ear()
    working = asyncio.create_task(ear.hints.work())
    await asyncio.sleep(0)
    for path in paths:
        ear.hints.found(path, identity(path))
    try:
        yield ear
    finally:
        working.cancel()
        await asyncio.wait([working])


def identity(path: Path) -> Identity:
    found = path.stat()
    return found.st_dev, found.st_ino


async def heard_again_and_again(ear: Ear, path: Path) -> None:
    """Return when a file written into the folder wakes it: listening may begin a moment late."""
    hearing = asyncio.create_task(ear.hears(path))
    while not hearing.done():
        (path / "a.yaml").write_text("x")
        await asyncio.wait([hearing], timeout=0.2)
    await hearing


async def test_a_rename_is_told_from_a_write_even_in_the_same_moment(tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    path.mkdir()
    async with listening(path) as ear:
        (path / "written.yaml").write_text("x")
        (tmp_path / "made").write_text("x")
        hearing = asyncio.create_task(ear.hears(path))
        (tmp_path / "made").rename(path / "moved.yaml")
        await hearing

        assert ear.hints.renamed(path) == {"moved.yaml"}
        assert ear.hints.renamed(path) == set()


async def test_a_write_wakes_its_folder_and_no_other(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.mkdir()
    async with listening(*paths) as ear:
        await heard_again_and_again(ear, paths[0])

        assert paths[1] not in ear._count


async def test_a_folder_that_was_replaced_is_listened_to_when_it_is_found(tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    path.mkdir()
    async with listening(path) as ear:
        path.rename(tmp_path / "away")
        path.mkdir()
        ear.hints.found(path, identity(path))

        await heard_again_and_again(ear, path)
        hearing = asyncio.create_task(ear.hears(path))
        (path / "a.yaml").rename(path / "b.yaml")
        await hearing
        assert "b.yaml" in ear.hints.renamed(path)


async def test_a_folder_that_is_gone_does_not_stop_the_others(tmp_path: Path) -> None:
    gone, there = tmp_path / "gone", tmp_path / "there"
    gone.mkdir()
    there.mkdir()
    async with listening(gone, there) as ear:
        gone.rmdir()
        ear.hints.lost(gone)

        await heard_again_and_again(ear, there)


async def test_names_that_mean_nothing_to_a_folder_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    path.mkdir()
    async with listening(path) as ear:
        hearing = asyncio.create_task(ear.hears(path))
        for name in (".x.tmp", "meant.yaml"):
            (tmp_path / "made").write_text("x")
            os.rename(tmp_path / "made", path / name)
        await hearing

        assert ear.hints.renamed(path) == {"meant.yaml"}


async def test_hints_that_nobody_waits_for_take_nothing_from_the_system() -> None:
    before = len(os.listdir("/proc/self/fd"))
    idle = [Hints(lambda path: None) for _ in range(200)]

    taken = len(os.listdir("/proc/self/fd")) - before  # those of an earlier test may still close
    assert taken < len(idle)


async def test_folders_that_were_found_before_it_listens_are_heard(tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    path.mkdir()
    ear = Ear()
    ear.hints.found(path, identity(path))
    working = asyncio.create_task(ear.hints.work())
    await asyncio.sleep(0)
    (tmp_path / "made").write_text("x")
    hearing = asyncio.create_task(ear.hears(path))
    (tmp_path / "made").rename(path / "moved.yaml")
    await hearing
    working.cancel()
    await asyncio.wait([working])

    assert ear.hints.renamed(path) == {"moved.yaml"}


async def test_more_renames_than_the_system_keeps_lose_hints_but_not_those_that_come_later(
    tmp_path: Path,
) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 50_000:
        pytest.skip("this system keeps so many that they would take too long")
    (tmp_path / "here").mkdir()
    path = tmp_path / "here"
    (path / "a.yaml").touch()
    (tmp_path / "lost.yaml").touch()
    (tmp_path / "heard.yaml").touch()
    async with listening(path) as ear:
        first, second = path / "a.yaml", path / "b.yaml"
        for _ in range(most // 2 + 1):
            first.rename(second)
            second.rename(first)
        (tmp_path / "lost.yaml").rename(path / "lost.yaml")
        await ear.hears(path)
        heard = ear.hints.renamed(path)

        async with asyncio.timeout(20):
            (tmp_path / "heard.yaml").rename(path / "heard.yaml")
            while "heard.yaml" not in heard:
                await ear.hears(path)
                heard |= ear.hints.renamed(path)

    assert heard == {"a.yaml", "b.yaml", "heard.yaml"}
