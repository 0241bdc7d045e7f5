"""Whatever is killed, and whenever: an attempt runs once and its end is known."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from eaas_agent.runtimes.port import Found, RunOrder, Started, StartFailed
from eaas_agent.runtimes.process import ProcessRuntime
from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_launch import STANDARD_PATH, plan_launch
from eaas_agent.runtimes.process_spawn import spawn_attempt
from tests.rig.process_orders import a_host, an_order, order_json
from tests.rig.process_runtime import a_runtime, eventually, is_alive, read, run, started


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    async with a_runtime(tmp_path / "state") as runtime:
        yield runtime


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


async def test_a_second_agent_adopts_what_a_killed_one_left(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo $PPID; read line <gate; echo $line; exit 9", workspace)
    os.mkfifo(workspace / "gate")
    before = await start_in_an_agent_and_kill_it(tmp_path / "state", order)

    after = await started(runtime, order)
    assert await runtime.find() == [
        Found(
            key=order.key,
            number=order.number,
            epoch=order.epoch,
            handle=before.handle,
            running=True,
            started_at=before.started_at,
        )
    ]
    waiting = asyncio.create_task(runtime.wait(order.key, after.handle))
    await asyncio.to_thread((workspace / "gate").write_text, "gone on\n")
    end = await waiting

    shim = before.handle.split(":")[0].encode()
    assert after.handle == before.handle
    assert (end.exit_code, end.lost, end.ran_for_s) == (9, False, None)
    assert (await read(runtime, order.key))["stdout"] == shim + b"\ngone on\n"


async def test_the_end_is_known_after_it_came_while_no_agent_was_there(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("exit 4", workspace)
    before = await start_in_an_agent_and_kill_it(tmp_path / "state", order)
    shim = int(before.handle.split(":")[0])
    await eventually(lambda: not is_alive(shim))

    end = await runtime.wait(order.key, before.handle)

    assert (end.exit_code, end.lost) == (4, False)
    assert end.finished_at >= before.started_at
    assert [found.running for found in await runtime.find()] == [False]


async def start_in_an_agent_and_kill_it(state_dir: Path, order: RunOrder) -> Started:
    agent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.rig.process_orders",
        str(state_dir),
        order_json(order),
        stdout=asyncio.subprocess.PIPE,
    )
    assert agent.stdout is not None
    line = await agent.stdout.readline()
    agent.kill()
    await agent.communicate()
    return msgspec.json.decode(line, type=Started)


async def test_a_start_after_a_start_adopts(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo once >>ran; exec sleep 60", workspace)
    first = await started(runtime, order)

    assert await started(runtime, order) == first
    await runtime.stop(order.key, first.handle, 0)


async def test_what_runs_is_adopted_though_it_could_not_be_started_now(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    (workspace / "sub").mkdir()
    order = an_order("rmdir ../sub; exit 4", workspace, workdir="sub")
    end = await run(runtime, order)
    after = ProcessRuntime(tmp_path / "state", "agent-1")

    assert (await run(after, order)).exit_code == end.exit_code == 4
    await after.close()


async def test_a_shim_that_comes_late_and_the_one_sent_after_it_run_the_job_once(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order("echo ran >>ran; exit 6", workspace) for _ in range(30)]
    late = [send_a_shim(tmp_path / "state", order) for order in orders]

    ends = await asyncio.gather(*(run(runtime, order) for order in orders))

    reap_all(late)
    assert [(end.exit_code, end.lost) for end in ends] == [(6, False)] * 30
    assert (workspace / "ran").read_text() == "ran\n" * 30


async def test_a_shim_that_comes_after_the_removal_runs_nothing(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order("echo $$ >>ran; exec sleep 60", workspace) for _ in range(30)]
    late = [send_a_shim(tmp_path / "state", order) for order in orders]

    for order in orders:
        await runtime.remove(order.key, "")

    reap_all(late)
    ran = workspace / "ran"
    jobs = [int(pid) for pid in ran.read_text().split()] if ran.exists() else []
    await eventually(lambda: not any(map(is_alive, jobs)))
    assert await runtime.find() == []


def reap_all(children: list[int]) -> None:
    for pid in children:
        with suppress(ChildProcessError):  # the runtime has reaped those that it adopted
            os.waitpid(pid, 0)


def send_a_shim(state_dir: Path, order: RunOrder) -> int:
    """Do what an agent does that is killed right after the spawn."""
    folder = AttemptFolder(f"{state_dir}/attempts/{order.key.uid}-1")
    folder.create()
    launch = plan_launch(order, path=STANDARD_PATH, my_uid=os.geteuid(), my_gid=os.getegid())
    return spawn_attempt(order, folder, launch, a_host()).pid


async def test_an_unclaimed_folder_is_started_again_and_runs_once(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo ran >>ran", workspace)
    (tmp_path / f"state/attempts/{order.key.uid}-1").mkdir(parents=True)

    assert await runtime.find() == []
    assert (await run(runtime, order)).exit_code == 0
    assert (workspace / "ran").read_text() == "ran\n"


async def test_an_unclaimed_folder_goes_when_the_second_start_fails(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("true",), workspace, workdir="none")
    (tmp_path / f"state/attempts/{order.key.uid}-1").mkdir(parents=True)

    with pytest.raises(StartFailed, match="none does not exist"):
        await started(runtime, order)

    assert list((tmp_path / "state/attempts").iterdir()) == []


async def test_another_agents_attempts_are_not_ours(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("true",), workspace)
    await run(runtime, order)
    other = ProcessRuntime(tmp_path / "state", "agent-2")

    assert await other.find() == []
    await other.close()
