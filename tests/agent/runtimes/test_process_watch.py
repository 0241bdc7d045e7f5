"""Processes by their id."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas_agent.runtimes.process_watch import (
    EndWatch,
    boot_id,
    child_runs,
    group_is_gone,
    has_argument,
    has_other_child,
    has_process,
    kill_session,
    reap,
    signal_group,
)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process that leads its own session and waits."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", "echo; exec sleep 60 # $0", "/a mark"],
        env={"MARK": "mine"},
        start_new_session=True,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def stranger() -> int:
    """Return a process that is no child of ours and ends soon."""
    command = ["/bin/sh", "-c", "sleep 0.05 >/dev/null & echo $!"]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.fixture
def gone() -> int:
    """Return the number of a process that has ended and was its group's leader."""
    process = subprocess.Popen(["/bin/true"], start_new_session=True)
    process.wait()
    return process.pid


async def test_the_end_of_a_process_that_is_no_child_is_told(stranger: int) -> None:
    ends = EndWatch()
    ended = asyncio.Event()

    ends.add(stranger, ended.set)

    await asyncio.wait_for(ended.wait(), 5)
    ends.close()


async def test_a_process_that_is_gone_is_not_watched(gone: int) -> None:
    ends = EndWatch()

    assert ends.add(gone, pytest.fail) is False
    ends.close()


async def test_after_close_nothing_is_told(sleeper: subprocess.Popen[bytes]) -> None:
    ends = EndWatch()
    ends.add(sleeper.pid, lambda: pytest.fail("told"))

    ends.close()
    sleeper.kill()
    sleeper.wait()
    await asyncio.sleep(0)


def test_a_process_is_known_by_an_argument(tmp_path: Path) -> None:
    process = subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line", "sh", f"{tmp_path}/it"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()

    assert has_argument(process.pid, f"{tmp_path}/it")
    assert has_process(f"{tmp_path}/it")
    assert not has_argument(process.pid, f"{tmp_path}/i")
    process.communicate(b"\n")
    assert not has_argument(process.pid, f"{tmp_path}/it")


def test_a_child_that_became_another_program_is_told_from_its_parents_copy(
    sleeper: subprocess.Popen[bytes],
) -> None:
    assert has_other_child(os.getpid(), "/no such argument")
    assert not has_other_child(sleeper.pid, "60")


def test_a_child_is_reaped_once() -> None:
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 3"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert not child_runs(pid)
    status = reap(pid)

    assert status is not None
    assert os.waitstatus_to_exitcode(status) == 3
    assert reap(pid) is None


def test_a_running_child_is_not_reaped(sleeper: subprocess.Popen[bytes]) -> None:
    assert child_runs(sleeper.pid)
    assert reap(sleeper.pid) is None


def test_a_group_is_gone_when_only_zombies_are_left(sleeper: subprocess.Popen[bytes]) -> None:
    assert not group_is_gone(sleeper.pid)

    signal_group(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)

    assert group_is_gone(sleeper.pid)


def test_a_session_is_killed_by_its_mark_only(sleeper: subprocess.Popen[bytes]) -> None:
    kill_session(sleeper.pid, variable="MARK=other")
    assert sleeper.poll() is None

    kill_session(sleeper.pid, variable="MARK=mine")
    assert sleeper.wait(5) == -signal.SIGKILL


def test_signals_to_what_is_gone_are_nothing(gone: int) -> None:
    signal_group(gone, signal.SIGTERM)

    assert group_is_gone(gone)


def test_a_boot_has_one_name() -> None:
    assert len(boot_id()) == 36
    assert boot_id() == boot_id()
