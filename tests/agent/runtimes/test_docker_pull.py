"""Pulls from a registry that answers well, badly, or not at all."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from aiodocker import Docker, DockerError

from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_pull import PullProgress
from eaas_agent.runtimes.port import Phase, StartFailed
from tests.rig.docker_orders import an_order, run, started
from tests.rig.registry import Registry


def test_progress_is_the_sum_over_the_layers_that_are_known() -> None:
    progress = PullProgress()
    before = progress.phase()
    for event in (
        {"status": "Pulling fs layer", "id": "a", "progressDetail": {}},
        {"status": "Downloading", "id": "a", "progressDetail": {"current": 10, "total": 100}},
        {"status": "Downloading", "id": "b", "progressDetail": {"current": 5, "total": 50}},
        {"status": "Download complete", "id": "b"},
        {"status": "Extracting", "id": "b", "progressDetail": {"current": 1, "total": 50}},
    ):
        progress.take(event)

    assert before == Phase(name="pulling")
    assert progress.phase() == Phase(name="pulling", done_bytes=60, total_bytes=150)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("repository", "code", "fault", "words"),
    [
        ("missing", "image_missing", "user", "manifest unknown"),
        ("secret", "image_denied", "user", "authentication required|no basic auth|unauthorized"),
        ("broken", "image_unreachable", "node", "down for repairs|503"),
        ("silent", "image_unreachable", "node", "silent for 1 s"),
    ],
)
async def test_a_registry_that_refuses_is_quoted(
    docker_runtime: DockerRuntime,
    registry: Registry,
    workspace: Path,
    repository: str,
    code: str,
    fault: str,
    words: str,
) -> None:
    order = an_order(f"{registry.address}/{repository}:1", "true", workspace)

    with pytest.raises(StartFailed, match=words) as failure:
        await started(docker_runtime, order)

    assert (failure.value.reason_code, failure.value.fault) == (code, fault)


@pytest.mark.docker
async def test_a_closed_port_is_the_nodes_fault(
    docker_runtime: DockerRuntime, workspace: Path
) -> None:
    order = an_order("127.0.0.1:1/box:1", "true", workspace)

    with pytest.raises(StartFailed, match="connection refused") as failure:
        await started(docker_runtime, order)

    assert (failure.value.reason_code, failure.value.fault) == ("image_unreachable", "node")


@pytest.mark.docker
async def test_a_pulled_image_runs_and_its_digest_is_pinned(
    docker_runtime: DockerRuntime, docker: Docker, registry: Registry, workspace: Path
) -> None:
    image = f"{registry.address}/good"
    try:
        order = an_order(f"{image}:1", ("echo", "pulled"), workspace)
        first = await started(docker_runtime, order)
        await docker_runtime.remove(order.key, first.handle)
        await docker.images.delete(f"{image}:1", force=True)
        pinned = an_order(f"{image}:moved", ("echo", "again"), workspace, digest=registry.digest)
        outcome = await run(docker_runtime, pinned)
    finally:
        await forget(docker, f"{image}@{registry.digest}")

    assert (first.image_digest, outcome.stdout) == (registry.digest, b"again\n")


@pytest.mark.docker
async def test_a_cancelled_pull_ends_at_the_registry_too(
    docker_runtime: DockerRuntime, registry: Registry, workspace: Path
) -> None:
    order = an_order(f"{registry.address}/slow:1", "true", workspace)
    downloading = asyncio.Event()

    def note(phase: Phase) -> None:
        if phase.total_bytes:
            downloading.set()

    start = asyncio.ensure_future(docker_runtime.start(order, note))
    async with asyncio.timeout(20):
        await downloading.wait()
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        await registry.client_left.wait()

    assert await docker_runtime.find() == []


async def forget(docker: Docker, image: str) -> None:
    with suppress(DockerError):
        await docker.images.delete(image, force=True)
