"""How processes start, end, are stopped and removed."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas_agent.runtimes.port import Exit, RunOrder, RuntimeState, StartFailed
from eaas_agent.runtimes.process import NOTES, ProcessRuntime
from tests.rig.process_orders import an_order
from tests.rig.process_runtime import (
    a_runtime,
    eventually,
    first_output,
    is_alive,
    output,
    read,
    run,
    started,
)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    async with a_runtime(tmp_path / "state") as runtime:
        yield runtime


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


@pytest.mark.parametrize("code", [0, 3, 127, 255])
async def test_the_exit_code_is_the_jobs(
    runtime: ProcessRuntime, workspace: Path, code: int
) -> None:
    begin = time.time()

    end = await run(runtime, an_order(("/bin/sh", "-c", f"exit {code}"), workspace))

    assert (end.exit_code, end.lost, end.text, end.oom_killed) == (code, False, None, None)
    assert begin - 0.02 <= end.finished_at <= time.time()
    assert end.ran_for_s is not None
    assert 0 < end.ran_for_s < 5


async def test_text_goes_through_a_shell_and_a_list_does_not(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    text = await output(runtime, an_order("echo $((1 + 1)) '$x'; cd /; pwd", workspace))
    plain = await output(runtime, an_order(("echo", "$((1 + 1))", "'; exit 3 #"), workspace))

    assert (text, plain) == (b"2 $x\n/\n", b"$((1 + 1)) '; exit 3 #\n")


async def test_an_unknown_command_ends_with_127_and_says_so(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("no-such-command",), workspace)

    end = await run(runtime, order)

    assert end.exit_code == 127
    assert b"no-such-command" in (await read(runtime, order.key))["stderr"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGPIPE])
async def test_a_signal_ends_it_with_128_and_its_number_and_no_word_of_the_shell(
    runtime: ProcessRuntime, workspace: Path, number: int
) -> None:
    order = an_order(f"kill -{int(number)} $$", workspace)

    end = await run(runtime, order)

    assert (end.exit_code, end.lost) == (128 + number, False)
    assert await read(runtime, order.key) == {"stdout": b"", "stderr": b""}


async def test_a_job_that_obeys_term_ends_with_143_before_its_grace(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo ready; exec sleep 60", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)

    await runtime.stop(order.key, handle, 30)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (143, False)


async def test_a_job_may_answer_term_with_its_own_code(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("trap 'echo bye; exit 5' TERM; echo ready; sleep 60 & wait", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)

    await runtime.stop(order.key, handle, 30)

    assert (await runtime.wait(order.key, handle)).exit_code == 5
    assert (await read(runtime, order.key))["stdout"] == b"ready\nbye\n"


async def test_a_job_that_ignores_term_dies_after_its_grace(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("trap '' TERM; echo ready; while :; do sleep 60; done", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)
    begin = time.monotonic()

    await runtime.stop(order.key, handle, 0.2)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (137, False)
    assert 0.2 <= time.monotonic() - begin < 5


async def test_a_stop_right_after_the_start_is_not_lost(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order(("sleep", "60"), workspace) for _ in range(20)]

    async def start_and_stop(order: RunOrder) -> Exit:
        handle = (await started(runtime, order)).handle
        await runtime.stop(order.key, handle, 30)
        return await runtime.wait(order.key, handle)

    async with asyncio.timeout(10):
        ends = await asyncio.gather(*map(start_and_stop, orders))

    assert {(end.exit_code, end.lost) for end in ends} == {(143, False)}


async def test_what_the_main_process_leaves_behind_is_killed(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("sleep 60 & echo $!; nohup sleep 60 >/dev/null & echo $!", workspace)

    pids = [int(pid) for pid in (await output(runtime, order)).split()]

    await eventually(lambda: not any(map(is_alive, pids)))


async def test_a_job_whose_shim_is_killed_from_outside_is_lost_and_does_not_run_on(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo $$; exec sleep 60", workspace)
    handle = (await started(runtime, order)).handle
    job = int(await first_output(runtime, order.key))

    os.kill(int(handle.split(":")[0]), signal.SIGKILL)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (137, True)
    assert end.text == "its shim was killed from outside, so its exit code is not known"
    assert not is_alive(job)


async def test_a_start_that_fails_leaves_nothing_behind(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    with pytest.raises(StartFailed):
        await started(runtime, an_order(("echo", "a\0b"), workspace))

    assert list((tmp_path / "state/attempts").iterdir()) == []


async def test_two_hundred_jobs_at_once_all_end(runtime: ProcessRuntime, workspace: Path) -> None:
    orders = [an_order(("true",), workspace) for _ in range(200)]

    ends = await asyncio.gather(*(run(runtime, order) for order in orders))

    assert {end.exit_code for end in ends} == {0}


async def test_a_waiter_that_gives_up_disturbs_no_other(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("read line <gate; exit 3", workspace)
    os.mkfifo(workspace / "gate")
    handle = (await started(runtime, order)).handle
    staying = asyncio.create_task(runtime.wait(order.key, handle))
    leaving = asyncio.create_task(runtime.wait(order.key, handle))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.to_thread((workspace / "gate").write_text, "go\n")

    assert (await staying).exit_code == 3
    assert leaving.cancelled()


async def test_remove_forgets_the_attempt_and_may_be_repeated(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo hi", workspace)
    await run(runtime, order)

    await runtime.remove(order.key, "")
    await runtime.remove(order.key, "")

    assert await runtime.find() == []
    assert list((tmp_path / "state/attempts").iterdir()) == []
    end = await runtime.wait(order.key, "")
    assert (end.exit_code, end.lost) == (None, True)
    assert end.text == "it never ran: nothing could be written into its folder, or it is gone"


async def test_remove_kills_what_still_runs(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo $$; exec sleep 60", workspace)
    await started(runtime, order)
    job = int(await first_output(runtime, order.key))

    await runtime.remove(order.key, "")

    await eventually(lambda: not is_alive(job))


async def test_the_probe_says_what_processes_are(runtime: ProcessRuntime) -> None:
    assert await runtime.probe() == RuntimeState(
        kind="process", engine=None, fault=None, notes=NOTES, can_isolate_cards=False
    )
    assert await runtime.images() == ()


async def test_the_probe_says_why_nothing_can_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    runtime = ProcessRuntime(tmp_path / "file", "agent-1")

    assert (await runtime.probe()).fault == (
        f"{tmp_path}/file/attempts cannot be made: Not a directory"
    )
