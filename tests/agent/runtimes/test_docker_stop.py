"""Stopping and removing, with a real engine."""

import asyncio
from pathlib import Path

import pytest

from eaas_agent.runtimes.docker import DockerRuntime
from tests.rig.docker_orders import an_order, read_log, started

pytestmark = pytest.mark.docker


async def stopped(
    runtime: DockerRuntime, command: str, workspace: Path, grace_s: float
) -> tuple[int | None, float]:
    """Start it, wait for its first word, stop it; return the exit code and how long that took."""
    order = an_order("mini-eaas/hello:1", command, workspace)
    handle = (await started(runtime, order)).handle
    pieces = runtime.log(order.key, handle, stdout_from=0, stderr_from=0)
    async with asyncio.timeout(20):
        await anext(pieces)
    await pieces.aclose()
    now = asyncio.get_running_loop().time
    began_at = now()
    await runtime.stop(order.key, handle, grace_s)
    took_s = now() - began_at
    return (await runtime.wait(order.key, handle)).exit_code, took_s


async def test_a_job_that_heeds_term_ends_at_once(
    docker_runtime: DockerRuntime, workspace: Path
) -> None:
    code, took_s = await stopped(docker_runtime, "echo up; exec sleep 1000", workspace, 30)

    assert code == 143
    assert took_s < 10


async def test_a_job_that_ignores_term_is_killed_after_the_grace(
    docker_runtime: DockerRuntime, workspace: Path
) -> None:
    command = "trap '' TERM; echo up; while :; do sleep 0.1; done"

    code, took_s = await stopped(docker_runtime, command, workspace, 1)

    assert code == 137
    assert 1 <= took_s < 10


async def test_stopping_what_ended_or_is_gone_does_nothing(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "echo done", workspace)
    handle = (await started(docker_runtime, order)).handle
    await docker_runtime.wait(order.key, handle)

    await docker_runtime.stop(order.key, handle, 30)
    log = await read_log(docker_runtime, order.key, handle)
    await docker_runtime.remove(order.key, handle)
    await docker_runtime.stop(order.key, handle, 30)

    assert log["stdout"] == b"done\n"
