"""How an attempt ended: the engine's evidence, and what only its restart explains."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiodocker import Docker

from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_end import exit_of, parse_time
from eaas_agent.runtimes.port import Exit
from tests.rig.docker_orders import an_order, started
from tests.rig.engine import PrivateEngine


def inspected(**state: Any) -> dict[str, Any]:
    times = {"StartedAt": "2026-12-01T00:00:00.5Z", "FinishedAt": "2026-12-01T00:00:03.000000001Z"}
    return {"State": {"Status": "exited", "ExitCode": 0, "OOMKilled": False, **times, **state}}


def test_times_are_unix_seconds_and_the_engines_zero_is_none() -> None:
    assert parse_time("1970-01-01T00:00:01.500000001Z") == 1.5
    assert parse_time("1970-01-01T01:00:01+01:00") == 1.0
    assert parse_time("0001-01-01T00:00:00Z") is None


def test_the_engines_words_become_evidence() -> None:
    end = exit_of(inspected(ExitCode=137, OOMKilled=True), engine_restarted=False, now=9.0)

    finished_at = parse_time("2026-12-01T00:00:03Z")
    assert finished_at is not None
    assert end == Exit(exit_code=137, oom_killed=True, finished_at=finished_at, ran_for_s=2.5)


def test_a_container_that_never_started_has_no_exit_code() -> None:
    end = exit_of(
        inspected(Status="created", StartedAt="0001-01-01T00:00:00Z"),
        engine_restarted=False,
        now=9.0,
    )

    assert (end.exit_code, end.lost, end.finished_at) == (None, True, 9.0)


@pytest.mark.parametrize(
    ("code", "oom", "lost"),
    [(137, False, True), (255, False, True), (137, True, False), (3, False, False)],
)
def test_a_restart_explains_a_kill_but_not_a_programs_own_end(
    code: int, oom: bool, lost: bool
) -> None:
    end = exit_of(inspected(ExitCode=code, OOMKilled=oom), engine_restarted=True, now=9.0)

    assert (end.exit_code, end.lost) == (code, lost)


@pytest.fixture
def fragile_engine() -> Iterator[PrivateEngine]:
    """An engine without live-restore: its restart kills every container."""
    engine = PrivateEngine(Path(tempfile.mkdtemp(prefix="eaas-engine-")))
    try:
        engine.start()
        yield engine
    finally:
        engine.stop()


@pytest.fixture
async def fragile_runtime(fragile_engine: PrivateEngine) -> AsyncIterator[DockerRuntime]:
    socket_path = Path(fragile_engine.address.removeprefix("unix://"))
    runtime = DockerRuntime(socket_path, "agent", "none")
    yield runtime
    await runtime.close()


@pytest.mark.docker
async def test_a_kill_by_the_engines_restart_is_told_even_to_who_was_not_there(
    docker: Docker,
    fragile_engine: PrivateEngine,
    fragile_runtime: DockerRuntime,
    busybox: str,
    workspace: Path,
) -> None:
    order = an_order(busybox, "sleep 1000", workspace)
    handle = (await started(fragile_runtime, order)).handle
    async with asyncio.TaskGroup() as group:
        watched = group.create_task(fragile_runtime.wait(order.key, handle))
        await asyncio.to_thread(fragile_engine.crash)
        await asyncio.to_thread(fragile_engine.start)
    seen_later = await fragile_runtime.wait(order.key, handle)
    await fragile_runtime.remove(order.key, handle)

    assert (watched.result().lost, seen_later.lost) == (True, True)
    assert {watched.result().exit_code, seen_later.exit_code} <= {137, 143}


@pytest.mark.docker
async def test_a_kill_from_outside_is_no_restart(
    docker_runtime: DockerRuntime, docker: Docker, busybox: str, workspace: Path
) -> None:
    order = an_order(busybox, "sleep 1000", workspace)
    handle = (await started(docker_runtime, order)).handle

    await docker.containers.container(handle).kill()
    end = await docker_runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (137, False)
