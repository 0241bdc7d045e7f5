import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from eaas_daemon.intake.intake import Intake
from eaas_daemon.intake.settings import FolderSettings
from tests.daemon.api.served import House, a_house
from tests.daemon.intake.folders import JOB, a_folder


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(tmp_path) as served:
        await served.pool("default")
        yield served


@asynccontextmanager
async def watching(house: House, *paths: Path) -> AsyncIterator[Intake]:
    intake = house.parts.intake
    intake.watch([FolderSettings(path=path) for path in paths])
    working = asyncio.create_task(intake.work())
    try:
        yield intake
    finally:
        working.cancel()
        await asyncio.wait([working])


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - a file system sends no events
            await asyncio.sleep(0.01)


async def test_a_bad_folder_is_out_of_use_with_a_reason_and_the_others_are_not(
    house: House, tmp_path: Path
) -> None:
    good, bad = a_folder(tmp_path), tmp_path / "nowhere"
    staged = tmp_path / "a.yaml"
    staged.write_text(JOB)

    async with watching(house, bad, good) as intake:
        staged.rename(good / "a.yaml")
        await until(lambda: house.state.job_by_number(1) is not None)
        await until(lambda: intake.views()[0].reason is not None)
        first, second = intake.views()

    assert (first.state, second.state) == ("disabled", "watching")
    assert "is not there" in (first.reason or "")
    _, page = await house.ask("GET", "/api/v1/events")
    assert any(event["kind"] == "folder.disabled" for event in page["items"])
