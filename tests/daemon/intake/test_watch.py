import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.intake import door
from eaas_daemon.intake.hints import Hints
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.watch import FolderWatch, Tools
from tests.daemon.api.served import House, a_house
from tests.daemon.intake.folders import JOB, ME, SERVICE_UID, a_folder, until
from tests.rig.builders import ADMIN
from tests.rig.listener import Listener


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path) as served:
        await served.pool("default")
        yield served


def tools_of(house: House, name: str = "here") -> Tools:
    return Tools(
        engine=house.engine,
        logs=house.parts.logs,
        reader=FileReader(),
        hints=Hints(lambda path: None),
        clock=house.clock,
        service_uid=SERVICE_UID,
        name=name,
        claims={},
    )


@asynccontextmanager
async def working(tools: Tools, path: Path, **settings: Any) -> AsyncIterator[FolderWatch]:
    watch = FolderWatch(FolderSettings(path=path, **settings), tools)
    task = asyncio.create_task(watch.work())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.wait([task])
        await tools.reader.close()


async def journal(house: House) -> list[str]:
    _, page = await house.ask("GET", "/api/v1/events")
    return [event["kind"] for event in page["items"] if event["kind"].startswith("folder")]


async def test_a_folder_that_comes_and_goes_says_so_once_each_time(
    house: House, tmp_path: Path
) -> None:
    path = tmp_path / "inbox"
    async with working(tools_of(house), path) as watch:
        await until(lambda: watch.view().state == "disabled")
        assert "is not there" in (watch.view().reason or "")
        a_folder(tmp_path)
        watch.wake()
        await until(lambda: watch.view().state == "watching")
        path.rename(tmp_path / "away")
        watch.wake()
        await until(lambda: watch.view().state == "disabled")
        watch.wake()

    assert sorted(await journal(house)) == ["folder.disabled", "folder.disabled", "folder.enabled"]


async def test_what_was_taken_and_refused_is_counted(house: House, tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    (path / "a.yaml").write_text(JOB)
    os.utime(path / "a.yaml", (1, 1))
    os.mkfifo(path / "7.cancel")
    async with working(tools_of(house), path) as watch:
        await until(lambda: watch.view().accepted + watch.view().refused == 2)
        view = watch.view()

    assert (view.accepted, view.refused, view.state) == (1, 1, "watching")
    assert view.looked_at is not None


async def test_two_ways_to_one_folder_are_one_too_many(house: House, tmp_path: Path) -> None:
    path, link = a_folder(tmp_path), tmp_path / "link"
    link.symlink_to(path)
    tools = tools_of(house)
    async with working(tools, path) as first:
        await until(lambda: first.view().looked_at is not None)
        async with working(tools, link) as second:
            await until(lambda: second.view().state == "disabled")
            assert "is the same folder as" in (second.view().reason or "")
    async with working(tools, link) as second:
        await until(lambda: second.view().looked_at is not None)
        assert second.view().state == "watching"


async def test_what_was_over_long_ago_is_deleted(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eaas_daemon.intake.watch.TIDY_EVERY_S", 0.01)
    path = a_folder(tmp_path)
    os.mkfifo(path / "7.cancel")
    house.clock.at = real = time.time()
    tools = msgspec.structs.replace(tools_of(house), passed=lambda: house.clock.at)
    async with working(tools, path, keep_days=1) as watch:
        await until(lambda: watch.view().refused == 1)
        assert (path / "refused" / "7.cancel").exists()
        house.clock.at = real + 86401
        await until(lambda: list((path / "refused").iterdir()) == [])


async def test_a_clock_that_jumps_forward_deletes_nothing(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    monkeypatch.setattr("eaas_daemon.intake.watch.TIDY_EVERY_S", 0.01)
    path = a_folder(tmp_path)
    os.mkfifo(path / "7.cancel")
    house.clock.at = time.time()

    def passed() -> float:
        looks.append(1.0)
        return 0.0

    tools = msgspec.structs.replace(tools_of(house), passed=passed)
    async with working(tools, path, keep_days=1) as watch:
        await until(lambda: watch.view().refused == 1)
        house.clock.at += 365 * 86400
        before = len(looks)
        await until(lambda: len(looks) > before + 3)

    assert (path / "refused" / "7.cancel").exists()


async def test_a_queue_or_user_that_is_not_there_is_told_until_it_is(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = a_folder(tmp_path)
    async with working(tools_of(house), path, queue="night", pool="default") as watch:
        house.engine.listen(Listener(lambda changes, _: watch.doubt()))
        await until(lambda: watch.view().looked_at is not None)
        assert watch.view().state == "watching"
        assert "default has no queue night" in (watch.view().reason or "")
        assert "default has no queue night" in caplog.text

        await house.engine.ask(
            e.CreateQueue(caller=ADMIN, pool="default", name="night", settings=SetQueue())
        )

        await until(lambda: watch.view().reason is None)
    assert sorted(await journal(house)) == ["folder.doubtful", "folder.right"]
    async with working(tools_of(house), path, user="nobody-of-this-name") as watch:
        await until(lambda: watch.view().looked_at is not None)
        assert "nobody-of-this-name's, whom neither" in (watch.view().reason or "")


async def test_what_is_left_lying_and_whom_it_is_open_to_are_told(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    path = a_folder(tmp_path, 0o1700)
    for name in ("notes.txt", "a.yaml~"):
        (path / name).touch()
    async with working(tools_of(house), path) as watch:
        await until(lambda: watch.view().looked_at is not None)
        assert (watch.view().left, watch.view().open_to) == (2, ME)
        assert f"to let a group in: sudo chgrp GROUP {path} {path}/accepted" in caplog.text
        path.chmod(0o1777)
        (path / "notes.txt").unlink()
        watch.wake()
        await until(lambda: watch.view().left == 1)
        assert watch.view().open_to == "everybody"


async def test_another_folder_in_its_place_is_told_and_the_first_is_followed_when_it_is_back(
    house: House, tmp_path: Path
) -> None:
    path = a_folder(tmp_path)
    (path / "a.yaml").write_text(JOB)
    os.utime(path / "a.yaml", (1, 1))
    async with working(tools_of(house), path) as watch:
        house.engine.listen(Listener(lambda changes, _: watch.follower.changed(changes)))
        await until(lambda: watch.view().accepted == 1)
        first = watch.follower.identity
        away = path.rename(tmp_path / "away")
        a_folder(tmp_path)
        watch.wake()
        await until(lambda: watch.follower.identity != first)
        await house.ask("POST", "/api/v1/jobs/1/cancel", {}, user="root")
        path.rename(tmp_path / "other")
        away.rename(path)
        watch.wake()

        status = path / "accepted" / "1-a.yaml.status.yaml"
        await until(lambda: "state: Cancelled" in status.read_text())

    assert await journal(house) == ["folder.replaced", "folder.replaced"]


async def test_of_two_controllers_on_one_folder_the_second_touches_nothing(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    async with a_house(tmp_path / "a") as first, a_house(tmp_path / "b") as second:
        for house in (first, second):
            await house.pool("default")
        async with working(tools_of(first, "a"), path) as watch:
            (path / "mine.yaml").write_text(JOB)
            os.utime(path / "mine.yaml", (1, 1))
            await until(lambda: watch.view().accepted == 1)
            await second.submit()  # its first job is called 1, too
            await second.ask("POST", "/api/v1/jobs/1/cancel", {}, user="root")
            async with working(tools_of(second, "b"), path) as other:
                (path / "3.cancel").touch()
                await until(lambda: other.view().looked_at is not None)
                await other.follower.write()
                view = other.view()

    assert view.state == "disabled"
    assert "is watched by the controller of a, or was until a moment ago: let only one" in (
        view.reason or ""
    )
    assert (view.accepted, view.refused) == (0, 0)
    assert "state: Pending" in (path / "accepted" / "1-mine.yaml.status.yaml").read_text()


async def test_a_file_of_which_nobody_tells_is_found_by_looking_again(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert door.RESCAN_S <= 5.0
    monkeypatch.setattr(door, "RESCAN_S", 0.05)
    path = a_folder(tmp_path)
    async with working(tools_of(house), path) as watch:
        await until(lambda: watch.view().looked_at is not None)
        (tmp_path / "a.yaml").write_text(JOB)
        os.utime(tmp_path / "a.yaml", (1, 1))
        (tmp_path / "a.yaml").rename(path / "a.yaml")

        await until(lambda: watch.view().accepted == 1)
