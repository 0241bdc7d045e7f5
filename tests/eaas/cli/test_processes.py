import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from eaas.cli.processes import DidNotStart, check_alive, programs, running, start, stop
from eaas.paths import Paths, paths_from


@pytest.fixture
def paths(home: Path) -> Paths:
    return paths_from(os.environ)


@pytest.fixture
def sleeper(paths: Paths) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that was started and stays: the standard library's web server."""
    process = start(paths, "sleeper", "http.server", ["0", "--bind", "127.0.0.1"], os.environ)
    yield process
    process.kill()
    process.wait()


async def test_a_program_runs_apart_and_is_stopped_by_its_pid_file(
    paths: Paths, sleeper: "subprocess.Popen[bytes]"
) -> None:
    assert running(paths, "sleeper") == sleeper.pid
    assert os.getsid(sleeper.pid) == sleeper.pid
    assert programs(paths) == ["sleeper"]
    check_alive(paths, "sleeper", sleeper)
    assert await stop(paths, "sleeper", within_s=10)
    assert sleeper.wait() == -15
    assert programs(paths) == []


async def test_a_later_process_of_the_same_number_is_left_alone(
    paths: Paths, sleeper: "subprocess.Popen[bytes]"
) -> None:
    file = paths.pid_file("sleeper")
    known = msgspec.json.decode(file.read_bytes())
    for other in ({"start_ticks": known["start_ticks"] - 1}, {"boot_id": "another"}):
        file.write_bytes(msgspec.json.encode({**known, **other}))
        assert running(paths, "sleeper") is None
        assert await stop(paths, "sleeper", within_s=10)
        assert sleeper.poll() is None


async def test_a_program_that_does_not_end_in_time_is_told_of(paths: Paths) -> None:
    words = ["sh", "-c", "trap '' TERM; echo; read x"]
    with subprocess.Popen(words, stdin=-1, stdout=-1) as shell:  # noqa: ASYNC220
        assert shell.stdout is not None
        shell.stdout.readline()
        stat = Path(f"/proc/{shell.pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        paths.run.mkdir()
        known = {"pid": shell.pid, "start_ticks": int(stat[19]), "boot_id": boot}
        paths.pid_file("stubborn").write_bytes(msgspec.json.encode(known))

        assert not await stop(paths, "stubborn", within_s=0.1)
        assert paths.pid_file("stubborn").exists()
        shell.kill()


async def test_a_program_that_hangs_can_be_killed(
    paths: Paths, sleeper: "subprocess.Popen[bytes]"
) -> None:
    sleeper.send_signal(signal.SIGSTOP)
    await asyncio.to_thread(os.waitid, os.P_PID, sleeper.pid, os.WSTOPPED)

    assert not await stop(paths, "sleeper", within_s=0.1)
    assert await stop(paths, "sleeper", within_s=10, by=signal.SIGKILL)
    assert await asyncio.to_thread(sleeper.wait) == -9


def test_a_program_that_ended_says_why(paths: Paths) -> None:
    process = start(paths, "broken", "no_such_module_at_all", [], os.environ)
    process.wait()

    with pytest.raises(DidNotStart, match="No module named no_such_module_at_all"):
        check_alive(paths, "broken", process)
    assert running(paths, "broken") is None


def test_the_last_words_of_a_program_that_logs_in_json_are_words(paths: Paths) -> None:
    environ = {**os.environ, "MINI_EAAS_CONTROLLER_PORT": "many"}
    process = start(paths, "controller", "eaas_daemon", ["run"], environ)
    process.wait()

    with pytest.raises(DidNotStart) as refused:
        check_alive(paths, "controller", process)
    assert str(refused.value).splitlines()[1:] == [
        "  $MINI_EAAS_CONTROLLER_PORT: must be a whole number from 0 to 65535, not 'many'"
    ]


def test_a_pid_file_of_nonsense_is_nobody(paths: Paths) -> None:
    paths.run.mkdir()
    paths.pid_file("x").write_text("12")

    assert running(paths, "x") is None
