import os
from pathlib import Path

import yaml

from tests.daemon.intake.folders import JOB, Doorway, a_doorway


async def test_a_file_that_stood_still_becomes_a_job_and_lies_among_the_accepted(
    doorway: Doorway,
) -> None:
    doorway.drop("train.yaml")

    assert (await doorway.look()).accepted == 0
    assert (await doorway.look(after_s=2.0)).accepted == 1

    assert doorway.names() == set()
    assert doorway.names("accepted") == {"1-train.yaml", "1-train.yaml.status.yaml"}
    assert doorway.text("accepted", "1-train.yaml") == JOB
    status = yaml.safe_load(doorway.text("accepted", "1-train.yaml.status.yaml"))
    assert (status["final"], status["job"], status["state"]) == (False, 1, "Pending")
    assert doorway.house.job(1).user == "root"


async def test_a_bad_file_stays_readable_with_every_mistake_beside_it(doorway: Doorway) -> None:
    doorway.drop("bad.yaml", "comand: a\ngpus: many\n")

    assert (await doorway.take()).refused == 1

    assert doorway.names("refused") == {"bad.yaml", "bad.yaml.error.txt"}
    error = doorway.text("refused", "bad.yaml.error.txt")
    assert "line 1, column 1" in error
    assert "did you mean command?" in error
    assert "line 2" in error


async def test_the_same_file_again_is_the_same_job_and_new_content_is_a_new_one(
    doorway: Doorway,
) -> None:
    for content in (JOB, JOB, JOB + "# once more\n"):
        doorway.drop("a.yaml", content)
        await doorway.take()

    assert doorway.names("accepted") == {
        "1-a.yaml",
        "1-a.yaml.status.yaml",
        "1-a.yaml.again.txt",
        "2-a.yaml",
        "2-a.yaml.status.yaml",
    }


async def test_a_file_called_cancel_cancels(doorway: Doorway) -> None:
    number = await doorway.house.submit(user="root")
    doorway.drop(f"{number}.cancel", "")

    await doorway.look()

    assert doorway.house.job(number).state == "Cancelled"
    assert "cancel: it is Cancelled" in doorway.text("accepted", f"{number}.cancel.status.yaml")


async def test_a_file_of_somebody_nobody_knows_is_refused(doorway: Doorway) -> None:
    os.chown(doorway.drop("a.yaml"), 61234, -1)

    await doorway.take()

    assert "61234" in doorway.text("refused", "a.yaml.error.txt")


async def test_a_folders_user_pool_and_queue_hold_for_its_files(tmp_path: Path) -> None:
    async with a_doorway(tmp_path, user="robot", pool="lab") as doorway:
        await doorway.house.pool("lab")
        os.chown(doorway.drop("a.yaml"), 61234, -1)

        await doorway.take()

        job = doorway.house.job(1)
        assert (job.user, job.pool) == ("robot", "lab")
