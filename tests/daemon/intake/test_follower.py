import json
import os
from pathlib import Path

import msgspec
import yaml

from eaas.ids import new_uid
from eaas.wire.logs import LogEnd
from eaas_daemon.core import events as e
from eaas_daemon.intake.status import LOG_WAIT_S
from tests.daemon.intake.folders import JOB, Doorway, a_folder, needs_root

STATUS = "1-a.yaml.status.yaml"


def status(doorway: Doorway, name: str = STATUS) -> dict[str, object]:
    read = yaml.safe_load(doorway.text("accepted", name))
    assert isinstance(read, dict)
    return read


async def a_taken_job(doorway: Doorway, content: str = JOB) -> Path:
    """Let job 1 come from a file; return its status's path."""
    doorway.drop("a.yaml", content)
    await doorway.take()
    await doorway.statuses()
    return doorway.path / "accepted" / STATUS


async def let_it_run(doorway: Doorway) -> None:
    await doorway.give_card()
    await doorway.house.runs(1)


async def let_its_log_end(doorway: Doorway, size: int) -> None:
    uid = doorway.house.job(1).uid
    await doorway.house.parts.logs.end(uid, 1, size, 0, 0)
    end = LogEnd(uid=uid, attempt=1, stdout_bytes=size, stderr_bytes=0)
    await doorway.house.engine.ask(e.LogFinished(end=end))


async def cancel(doorway: Doorway, number: int) -> None:
    await doorway.house.ask("POST", f"/api/v1/jobs/{number}/cancel", {}, user="root")


async def test_the_status_follows_the_job_to_its_end(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    assert status(doorway)["state"] == "Pending"

    await let_it_run(doorway)
    await doorway.statuses()
    running = status(doorway)
    assert (running["state"], running["node"], running["final"]) == ("Running", "n1", False)

    await doorway.house.ends(1, exit_code=3)
    await doorway.statuses()
    told = status(doorway)
    assert (told["final"], told["state"], told["exit_code"]) == (True, "Failed", 3)


async def test_a_new_controller_follows_what_the_one_before_did(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    await let_it_run(doorway)

    await doorway.restart()
    await doorway.statuses()

    assert status(doorway)["state"] == "Running"


async def test_a_status_that_did_not_change_is_not_written_again(doorway: Doorway) -> None:
    path = await a_taken_job(doorway)
    before = path.stat().st_ino

    doorway.follower.start_over()
    await doorway.statuses()

    assert path.stat().st_ino == before


async def test_two_files_of_one_job_both_follow_it(doorway: Doorway) -> None:
    keyed = JOB + "key: k\n"
    await a_taken_job(doorway, keyed)
    doorway.drop("b.yaml", keyed)
    await doorway.take()

    await cancel(doorway, 1)
    await doorway.statuses()

    states = {status(doorway, f"1-{name}.yaml.status.yaml")["state"] for name in ("a", "b")}
    assert states == {"Cancelled"}


def finals(doorway: Doorway) -> list[tuple[object, object]]:
    documents = yaml.safe_load_all(doorway.text("accepted", STATUS))
    return [(document["job"], document["final"]) for document in documents]


async def test_each_of_several_jobs_is_final_when_it_has_ended(doorway: Doorway) -> None:
    await a_taken_job(doorway, f"{JOB}---\n{JOB}")

    await cancel(doorway, 1)
    await doorway.statuses()
    assert finals(doorway) == [(1, True), (2, False)]
    await doorway.restart()
    await cancel(doorway, 2)
    await doorway.statuses()
    assert finals(doorway) == [(1, True), (2, True)]
    assert doorway.follower._files == {}


async def test_the_log_of_the_first_of_two_jobs_does_not_wait_for_the_second(
    doorway: Doorway,
) -> None:
    await a_taken_job(doorway, f"{JOB}log: true\n---\n{JOB}")
    await let_it_run(doorway)
    await doorway.house.parts.logs.append(doorway.house.job(1).uid, 1, "stdout", 0, b"out")
    await doorway.house.ends(1)
    await let_its_log_end(doorway, 3)
    await doorway.statuses()
    log = doorway.path / "accepted" / "1-a.yaml.1.log"
    assert (log.read_text(), finals(doorway)) == ("out", [(1, True), (2, False)])
    before = log.stat().st_ino

    for _ in range(2):
        await cancel(doorway, 2)
        await doorway.statuses()
        await doorway.restart()

    assert log.stat().st_ino == before
    assert doorway.names("accepted") == {"1-a.yaml", STATUS, log.name}


async def test_a_file_that_comes_again_after_its_job_ended_has_its_log_too(
    doorway: Doorway,
) -> None:
    await a_taken_job(doorway, JOB)
    await let_it_run(doorway)
    await doorway.house.parts.logs.append(doorway.house.job(1).uid, 1, "stdout", 0, b"out")
    await doorway.house.ends(1)
    await let_its_log_end(doorway, 3)
    await doorway.statuses()
    assert doorway.names("accepted") == {"1-a.yaml", STATUS}
    doorway.settings = msgspec.structs.replace(doorway.settings, log=True)
    await doorway.restart()

    await a_taken_job(doorway, JOB)

    assert doorway.text("accepted", "1-a.yaml.log") == "out"
    assert status(doorway)["final"] is True


async def test_what_could_not_be_written_is_written_later(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    away = doorway.path.rename(doorway.path.with_name("away"))
    await cancel(doorway, 1)
    await doorway.statuses()
    away.rename(doorway.path)
    assert status(doorway)["state"] == "Pending"

    doorway.follower._look_in_turn()
    await doorway.statuses()

    assert status(doorway)["state"] == "Cancelled"


async def test_another_folder_in_its_place_gets_no_status_and_the_first_gets_it_when_it_is_back(
    doorway: Doorway,
) -> None:
    await a_taken_job(doorway)
    away = doorway.path.rename(doorway.path.with_name("away"))
    a_folder(doorway.path.parent)
    await cancel(doorway, 1)
    await doorway.statuses()
    doorway.path.rename(doorway.path.with_name("other"))
    away.rename(doorway.path)

    doorway.follower._look_in_turn()
    await doorway.statuses()

    assert status(doorway)["state"] == "Cancelled"


async def test_a_file_that_was_deleted_is_not_followed_any_more(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    for file in (doorway.path / "accepted").iterdir():
        file.unlink()

    await let_it_run(doorway)
    await doorway.statuses()

    assert (doorway.follower._files, doorway.follower._by_job) == ({}, {})


async def test_a_forged_status_gets_nobody_anything_about_others_jobs(doorway: Doorway) -> None:
    path = await a_taken_job(doorway)
    other = await doorway.house.submit(user="ann", name="secret")
    path.write_text(f"final: false\njob: 1\nlog: true\n---\nfinal: false\njob: {other}\n")

    await doorway.restart()
    await cancel(doorway, 1)
    await doorway.house.ask("POST", f"/api/v1/jobs/{other}/cancel", {}, user="ann")
    await doorway.statuses()

    assert "secret" not in path.read_text()
    assert not (doorway.path / "accepted" / f"1-a.yaml.{other}.log").exists()


async def test_a_job_of_the_same_number_in_an_older_database_is_another_one(
    doorway: Doorway,
) -> None:
    path = await a_taken_job(doorway)
    older = f"final: false\njob: 1\nuid: {json.dumps(new_uid())}\n"
    path.write_text(older)

    await doorway.restart()
    await cancel(doorway, 1)
    await doorway.statuses()

    assert path.read_text() == older


async def test_jobs_that_nobody_knows_leave_their_files_alone(doorway: Doorway) -> None:
    path = await a_taken_job(doorway)
    strange = path.with_name("99-b.yaml")
    strange.write_text(JOB)
    strange.with_name("99-b.yaml.status.yaml").write_text("final: false\njob: 99\n")

    await doorway.restart()
    await doorway.statuses()

    assert doorway.text("accepted", "99-b.yaml.status.yaml") == "final: false\njob: 99\n"


async def test_the_log_comes_when_it_is_whole_and_the_status_is_final_then(
    doorway: Doorway,
) -> None:
    await a_taken_job(doorway, JOB + "log: true\n")
    await let_it_run(doorway)
    await doorway.house.parts.logs.append(doorway.house.job(1).uid, 1, "stdout", 0, b"out")
    await doorway.house.ends(1)
    await doorway.statuses()
    assert status(doorway)["final"] is False

    await let_its_log_end(doorway, 3)
    await doorway.statuses()

    assert status(doorway)["final"] is True
    assert doorway.text("accepted", "1-a.yaml.log") == "out"


async def test_a_log_that_never_comes_is_not_waited_for_for_ever(doorway: Doorway) -> None:
    await a_taken_job(doorway, JOB + "log: true\n")
    await let_it_run(doorway)
    await doorway.house.parts.logs.append(doorway.house.job(1).uid, 1, "stdout", 0, b"out")
    await doorway.house.ends(1)
    await doorway.house.tick(LOG_WAIT_S + 1)
    doorway.follower.start_over()
    await doorway.statuses()

    assert status(doorway)["final"] is True
    assert doorway.text("accepted", "1-a.yaml.log").startswith("out\n[the rest of this log")


async def test_a_log_that_can_not_be_written_yet_is_written_later(doorway: Doorway) -> None:
    await a_taken_job(doorway, JOB + "log: true\n")
    await let_it_run(doorway)
    await doorway.house.ends(1)
    await let_its_log_end(doorway, 0)
    in_the_way = doorway.path / "accepted" / "1-a.yaml.log"
    in_the_way.mkdir()
    await doorway.statuses()
    assert status(doorway)["final"] is False
    assert status(doorway)["state"] == "Succeeded"

    in_the_way.rmdir()
    doorway.follower._look_in_turn()
    await doorway.statuses()

    assert status(doorway)["final"] is True
    assert in_the_way.read_text() == ""


@needs_root
async def test_who_may_read_the_file_may_read_what_stands_beside_it(doorway: Doorway) -> None:
    file = doorway.drop("a.yaml")
    file.chmod(0o600)
    os.chown(file, 1, 1)

    await doorway.take()

    found = (doorway.path / "accepted" / STATUS).stat()
    assert (found.st_uid, found.st_mode & 0o777) == (1, 0o600)


async def test_a_status_that_somebody_deleted_is_there_again_after_the_next_turn(
    doorway: Doorway,
) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    await doorway.statuses()
    status = doorway.path / "accepted" / "1-a.yaml.status.yaml"
    status.unlink()

    doorway.follower.start_over()
    await doorway.statuses()

    assert "state: Pending" in status.read_text()
