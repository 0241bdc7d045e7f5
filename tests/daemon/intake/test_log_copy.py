from pathlib import Path

import pytest

from eaas.ids import new_uid
from eaas.views import JobView
from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.log_copy import NO_MORE, copy_log
from tests.daemon.intake.folders import JOB, SERVICE_UID, Doorway

LONG = b"\xff\x00" * 1_500_000


@pytest.fixture
async def wrote(doorway: Doorway) -> JobView:
    """The job of an accepted file; it runs and has written to both streams."""
    doorway.drop("a.yaml", JOB)
    await doorway.take()
    await doorway.give_card()
    await doorway.house.runs(1)
    logs, uid = doorway.house.parts.logs, doorway.house.job(1).uid
    await logs.append(uid, 1, "stdout", 0, LONG)
    await logs.append(uid, 1, "stderr", 0, b"and this")
    return doorway.house.engine.painter().job(doorway.house.job(1))


async def copy(
    doorway: Doorway, job: JobView, *, path: Path | None = None, ending: str = ".log"
) -> None:
    logs = doorway.house.parts.logs
    where = path or doorway.path
    await copy_log(logs, doorway.thread, where, ("1-a.yaml", ending), job, SERVICE_UID)


def copied(doorway: Doorway, ending: str = ".log") -> bytes:
    return (doorway.path / "accepted" / f"1-a.yaml{ending}").read_bytes()


async def test_every_byte_of_both_streams_is_copied(doorway: Doorway, wrote: JobView) -> None:
    await doorway.house.parts.logs.end(wrote.uid, 1, len(LONG), 8, 0)

    await copy(doorway, wrote)

    assert copied(doorway) == LONG + b"and this"


async def test_a_log_without_its_end_says_so(doorway: Doorway, wrote: JobView) -> None:
    await copy(doorway, wrote)

    assert copied(doorway) == LONG + b"and this" + NO_MORE


async def test_it_is_called_as_it_is_told(doorway: Doorway, wrote: JobView) -> None:
    await copy(doorway, wrote, ending=".1.log")

    assert copied(doorway, ".1.log").startswith(LONG)


async def test_a_log_that_was_dropped_leaves_the_sentence_that_says_so(
    doorway: Doorway, wrote: JobView
) -> None:
    logs = doorway.house.parts.logs
    await logs.end(wrote.uid, 1, len(LONG), 8, 0)
    logs.limit(1)
    await logs.append(new_uid(), 1, "stdout", 0, b"x" * (1 << 20))

    await copy(doorway, wrote)

    assert b"deleted" in copied(doorway) or b"dropped" in copied(doorway)


async def test_a_folder_that_is_gone_is_told_and_nothing_half_is_left(
    doorway: Doorway, wrote: JobView
) -> None:
    with pytest.raises(FolderUnusable):
        await copy(doorway, wrote, path=doorway.path / "gone")
    (doorway.path / "accepted" / "1-a.yaml").unlink()
    with pytest.raises(FileNotFoundError):
        await copy(doorway, wrote)

    assert doorway.names("accepted") == {"1-a.yaml.status.yaml"}
