"""What a file may say about jobs that are there."""

import os

import pytest

from eaas_daemon.intake.reading import FileReader, ReaderUnusable
from eaas_daemon.intake.stillness import STILL_S
from tests.daemon.intake.folders import ME, Doorway, needs_root


async def error_of(doorway: Doorway, name: str, content: str | bytes) -> str:
    """Return what is said of a file that is refused."""
    doorway.drop(name, content)
    assert (await doorway.take()).refused == 1
    assert (doorway.path / "refused" / name).exists()
    return doorway.text("refused", f"{name}.error.txt")


async def test_orders_cancel_and_reprioritise(doorway: Doorway) -> None:
    for _ in range(3):
        await doorway.house.submit(user=ME)
    doorway.drop("1.cancel", "")
    doorway.drop("more.yaml", "cancel: 2\npriority: {3: 10}\n")

    await doorway.take()

    states = [doorway.house.job(number).state for number in (1, 2, 3)]
    assert states == ["Cancelled", "Cancelled", "Pending"]
    assert doorway.house.job(3).priority == 10
    assert "cancel: it is Cancelled" in doorway.text("accepted", "1.cancel.status.yaml")
    assert "priority 10" in doorway.text("accepted", "orders-more.yaml.status.yaml")


async def test_a_cancel_file_that_names_no_job_is_refused_with_a_better_name(
    doorway: Doorway,
) -> None:
    error = await error_of(doorway, "120-good.yaml.cancel", "")

    assert "name it JOB.cancel, like 42.cancel" in error


async def test_nobody_is_asked_to_mend_an_order_that_is_right(doorway: Doorway) -> None:
    error = await error_of(doorway, "999.cancel", "")

    assert error.endswith("Z.\n\nthere is no job 999\n")


@needs_root
async def test_nobody_cancels_anothers_job(doorway: Doorway) -> None:
    number = await doorway.house.submit(user="ann")
    os.chown(doorway.drop(f"{number}.cancel", ""), 1, -1)

    await doorway.look()

    assert doorway.house.job(number).state == "Pending"
    assert "ann" in doorway.text("refused", f"{number}.cancel.error.txt")


@needs_root
async def test_root_is_nobody_special_where_everybody_may_put_files(doorway: Doorway) -> None:
    number = await doorway.house.submit(user="ann")
    doorway.drop(f"{number}.cancel", "")
    await doorway.look()
    assert doorway.house.job(number).state == "Pending"

    doorway.path.chmod(0o700)
    doorway.drop(f"{number}.cancel", "")
    await doorway.look()
    assert doorway.house.job(number).state == "Cancelled"


async def test_while_nothing_can_be_read_files_wait_and_orders_are_obeyed(
    doorway: Doorway,
) -> None:
    number = await doorway.house.submit(user=ME)
    works = doorway.door._reader
    doorway.door._reader = FileReader(argv=("/nowhere/python",))
    doorway.drop("a.yaml")
    await doorway.look()
    doorway.drop(f"{number}.cancel", "")

    with pytest.raises(ReaderUnusable, match="files wait: /nowhere/python"):
        await doorway.look(after_s=STILL_S)

    assert doorway.house.job(number).state == "Cancelled"
    assert doorway.names("refused") == set()
    doorway.door._reader = works
    assert (await doorway.look()).accepted == 1
