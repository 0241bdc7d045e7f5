from eaas.wire.logs import LogEnd
from eaas_daemon.core import events as e
from tests.daemon.intake.folders import JOB, Doorway


async def a_job_that_wrote(doorway: Doorway, data: bytes) -> None:
    """Let the dropped job run and end, with its log complete."""
    await doorway.give_card()
    await doorway.house.runs(1)
    logs, uid = doorway.house.parts.logs, doorway.house.job(1).uid
    await logs.append(uid, 1, "stdout", 0, data)
    await logs.append(uid, 1, "stderr", 0, b"and this")
    await doorway.house.ends(1)
    await doorway.statuses()
    assert "1-a.yaml.log" not in doorway.names("accepted")
    await logs.end(uid, 1, len(data), 8, 0)
    end = LogEnd(uid=uid, attempt=1, stdout_bytes=len(data), stderr_bytes=8)
    await doorway.house.engine.ask(e.LogFinished(end=end))
    await doorway.statuses()


async def test_a_log_that_is_asked_for_lies_beside_the_file_when_it_is_whole(
    doorway: Doorway,
) -> None:
    doorway.drop("a.yaml", JOB + "log: true\n")
    await doorway.take()

    await a_job_that_wrote(doorway, b"\xff" * 3_000_000)

    log = (doorway.path / "accepted" / "1-a.yaml.log").read_bytes()
    assert log == b"\xff" * 3_000_000 + b"and this"
