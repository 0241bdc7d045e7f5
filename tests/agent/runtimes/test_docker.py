"""The docker runtime against a real engine, as the agent uses it."""

import asyncio
from pathlib import Path

import pytest
from aiodocker import Docker

from eaas.ids import CardUuid
from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.port import CardSlot, Phase, StartFailed
from tests.rig.docker_orders import an_order, ignore_phase, read_log, run, started

pytestmark = pytest.mark.docker


async def test_the_first_hello_needs_no_registry(
    docker_runtime: DockerRuntime, workspace: Path
) -> None:
    outcome = await run(docker_runtime, an_order("mini-eaas/hello:1", None, workspace))

    assert (outcome.exit.exit_code, outcome.stdout) == (0, b"hello from Mini EaaS\n")


async def test_the_exit_code_and_both_streams_are_the_programs_own(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "echo out; echo err >&2; pwd; exit 3", workspace)

    outcome = await run(docker_runtime, order)

    assert (outcome.exit.exit_code, outcome.exit.oom_killed, outcome.exit.lost) == (3, False, False)
    assert (outcome.stdout, outcome.stderr) == (b"out\n/workspace\n", b"err\n")
    assert outcome.exit.ran_for_s is not None
    assert 0 <= outcome.exit.ran_for_s < 10


async def test_a_missing_command_ends_with_127_and_the_reason(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    outcome = await run(docker_runtime, an_order(busybox, ("no-such-thing",), workspace))

    assert outcome.exit.exit_code == 127
    assert outcome.exit.text == "exec no-such-thing failed: No such file or directory"


async def test_memory_over_the_limit_is_told(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    eater = ("awk", 'BEGIN { s = "x"; while (1) s = s s }')

    outcome = await run(docker_runtime, an_order(busybox, eater, workspace, memory_mib=16))

    assert (outcome.exit.exit_code, outcome.exit.oom_killed) == (137, True)
    assert not outcome.exit.lost


async def test_a_job_has_no_capabilities_and_gains_none(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    command = "grep -E 'CapEff|NoNewPrivs' /proc/self/status | tr -s '\\t' ' '"

    outcome = await run(docker_runtime, an_order(busybox, command, workspace))

    assert outcome.stdout == b"CapEff: 0000000000000000\nNoNewPrivs: 1\n"


async def test_a_job_without_cards_sees_none_even_if_it_asks(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(
        busybox,
        "ls /dev | grep -c nvidia; echo $NVIDIA_VISIBLE_DEVICES; echo $EAAS_CARDS",
        workspace,
        env={"NVIDIA_VISIBLE_DEVICES": "all", "EAAS_CARDS": "GPU-sim"},
        cards=(CardSlot(uuid=CardUuid("GPU-sim"), simulated=True),),
    )

    outcome = await run(docker_runtime, order)

    assert outcome.stdout == b"0\nvoid\nGPU-sim\n"


@pytest.mark.parametrize("run_as", [None, "1234:99"])
async def test_a_user_other_than_root_writes_its_workspace(
    docker_runtime: DockerRuntime, worker_image: str, workspace: Path, run_as: str | None
) -> None:
    (workspace / "given.txt").write_text("from the agent\n")
    command = "echo more >> given.txt && mkdir sub && echo ok > sub/out && id -u"
    order = an_order(worker_image, command, workspace, run_as=run_as)

    outcome = await run(docker_runtime, order)

    assert (outcome.exit.exit_code, outcome.stderr) == (0, b"")
    assert (workspace / "given.txt").read_text() == "from the agent\nmore\n"
    assert (workspace / "sub" / "out").read_text() == "ok\n"


async def test_an_agent_that_comes_back_finds_and_adopts_its_attempt(
    docker_runtime: DockerRuntime,
    docker: Docker,
    socket_path: Path,
    busybox: str,
    workspace: Path,
) -> None:
    order = an_order(busybox, "until [ -e go ]; do sleep 0.05; done; echo went", workspace)
    first = await started(docker_runtime, order)
    comes_back = DockerRuntime(socket_path, docker_runtime.agent_id, "none")
    somebody_else = DockerRuntime(socket_path, "somebody-else", "none")
    try:
        (found,) = await comes_back.find()
        again = await started(comes_back, order)
        seen_elsewhere = await somebody_else.find()
        (workspace / "go").touch()
        end = await comes_back.wait(order.key, again.handle)
        log = await read_log(comes_back, order.key, again.handle)
    finally:
        await comes_back.close()
        await somebody_else.close()

    assert (found.key, found.number, found.epoch) == (order.key, order.number, order.epoch)
    assert (found.handle, found.running, seen_elsewhere) == (first.handle, True, [])
    assert again.handle == first.handle
    assert (end.exit_code, log["stdout"]) == (0, b"went\n")


async def test_a_cancelled_start_leaves_nothing(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "sleep 100", workspace)
    for phase_name in ("creating", "starting"):
        reached = asyncio.Event()

        def note(phase: Phase, name: str = phase_name, event: asyncio.Event = reached) -> None:
            if phase.name == name:
                event.set()

        start = asyncio.ensure_future(docker_runtime.start(order, note))
        await asyncio.wait_for(reached.wait(), 20)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start

        assert await docker_runtime.find() == []


async def test_removing_twice_is_as_good_as_once(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "sleep 100", workspace)
    handle = (await started(docker_runtime, order)).handle

    await docker_runtime.remove(order.key, handle)
    await docker_runtime.remove(order.key, handle)
    end = await docker_runtime.wait(order.key, handle)

    assert (end.lost, end.exit_code, await docker_runtime.find()) == (True, None, [])


async def test_the_engine_says_what_it_is(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    await docker_runtime.start(an_order(busybox, None, workspace), ignore_phase)

    state = await docker_runtime.probe()

    assert (state.kind, state.fault) == ("docker", None)
    assert state.engine is not None
    assert state.engine.startswith(("Docker ", "Podman "))
    assert busybox in [image.name for image in await docker_runtime.images()]


async def test_an_engine_that_is_away_is_a_fault_of_the_node(tmp_path: Path) -> None:
    runtime = DockerRuntime(tmp_path / "nobody.sock", "agent")
    try:
        state = await runtime.probe()
        with pytest.raises(StartFailed) as failure:
            await runtime.start(an_order("box:1", None, tmp_path), ignore_phase)
    finally:
        await runtime.close()

    assert state.fault == f"no engine answers at {tmp_path / 'nobody.sock'}"
    assert (failure.value.reason_code, failure.value.fault) == ("engine_error", "node")
