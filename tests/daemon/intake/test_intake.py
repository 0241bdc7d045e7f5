import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from eaas.views import FolderCountsView
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.intake.intake import Intake
from eaas_daemon.intake.settings import FolderSettings
from tests.daemon.api.served import House, a_house
from tests.daemon.intake.folders import JOB, a_folder, until
from tests.rig.builders import ADMIN


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path) as served:
        served.engine.listen(served.parts.intake)
        await served.pool("default")
        yield served


@asynccontextmanager
async def watching(house: House, *folders: FolderSettings) -> AsyncIterator[Intake]:
    intake = house.parts.intake
    intake.watch(folders)
    working = asyncio.create_task(intake.work())
    try:
        yield intake
    finally:
        working.cancel()
        await asyncio.wait([working])


def is_job(house: House, number: int) -> bool:
    return house.state.job_by_number(number) is not None


async def looked_at(intake: Intake) -> None:
    """Return when every folder was looked at once."""
    await until(lambda: all(view.looked_at is not None for view in intake.views()))


async def test_a_bad_folder_is_out_of_use_with_a_reason_and_the_others_are_not(
    house: House, tmp_path: Path
) -> None:
    good, bad = a_folder(tmp_path), tmp_path / "nowhere"

    async with watching(house, FolderSettings(path=bad), FolderSettings(path=good)) as intake:
        await looked_at(intake)
        (tmp_path / "a.yaml").write_text(JOB)
        (tmp_path / "a.yaml").rename(good / "a.yaml")
        await until(lambda: is_job(house, 1))
        first, second = intake.views()

    assert (first.state, second.state) == ("disabled", "watching")
    assert "is not there" in (first.reason or "")


async def test_the_status_follows_without_being_asked(house: House, tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    status = path / "accepted" / "1-a.yaml.status.yaml"
    async with watching(house, FolderSettings(path=path)) as intake:
        await looked_at(intake)
        (tmp_path / "a.yaml").write_text(JOB)
        (tmp_path / "a.yaml").rename(path / "a.yaml")
        await until(status.exists)

        await house.ask("POST", "/api/v1/jobs/1/cancel", {}, user="root")

        await until(lambda: "state: Cancelled" in status.read_text())


async def test_folders_come_and_go_while_it_works(house: House, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.mkdir()
    first, second = (FolderSettings(path=a_folder(path)) for path in paths)
    async with watching(house, first) as intake:
        await looked_at(intake)
        intake.watch([second])
        await looked_at(intake)
        (tmp_path / "a.yaml").write_text(JOB)
        (tmp_path / "a.yaml").rename(second.path / "a.yaml")
        await until(lambda: is_job(house, 1))

        assert [view.path for view in intake.views()] == [str(second.path)]


async def test_a_folder_that_comes_back_waits_until_it_was_left(
    house: House, tmp_path: Path
) -> None:
    path, may_end = a_folder(tmp_path), threading.Event()
    async with watching(house, FolderSettings(path=path)) as intake:
        await looked_at(intake)
        [leaving] = intake._watches.values()
        hanging = asyncio.create_task(leaving._thread.do(may_end.wait, 30))
        leaving.wake()
        await until(lambda: not leaving._thread._pieces.empty())
        intake.watch([])
        await asyncio.sleep(0.01)
        intake.watch([FolderSettings(path=path)])
        await asyncio.sleep(0.1)
        too_early = intake.views()
        may_end.set()
        await hanging
        await looked_at(intake)

        assert [view.looked_at for view in too_early] == [None]
        assert [view.state for view in intake.views()] == ["watching"]


async def test_other_settings_for_a_folder_hold_from_then_on(house: House, tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    await house.pool("lab")
    async with watching(house, FolderSettings(path=path, pool="default")) as intake:
        await looked_at(intake)
        intake.watch([FolderSettings(path=path), FolderSettings(path=path, pool="lab")])
        await looked_at(intake)
        (tmp_path / "a.yaml").write_text(JOB)
        (tmp_path / "a.yaml").rename(path / "a.yaml")
        await until(lambda: is_job(house, 1))

        assert house.job(1).pool == "lab"
        assert len(intake.views()) == 1


async def test_the_same_settings_again_leave_a_folder_in_peace(
    house: House, tmp_path: Path
) -> None:
    path = a_folder(tmp_path)
    async with watching(house, FolderSettings(path=path)) as intake:
        await looked_at(intake)
        seen = intake.views()
        intake.watch([FolderSettings(path=path)])

        assert intake.views() == seen


async def test_a_folder_whose_queue_is_made_is_right_at_once_and_all_are_counted(
    house: House, tmp_path: Path
) -> None:
    path, bad = a_folder(tmp_path), tmp_path / "nowhere"
    (path / "notes.txt").touch()
    night = FolderSettings(path=path, pool="default", queue="night")
    async with watching(house, night, FolderSettings(path=bad)) as intake:
        await looked_at(intake)
        assert intake.counts() == FolderCountsView(watched=2, wrong=2, left=1)

        await house.engine.ask(
            e.CreateQueue(caller=ADMIN, pool="default", name="night", settings=SetQueue())
        )

        assert intake.counts() == FolderCountsView(watched=2, wrong=1, left=1)
