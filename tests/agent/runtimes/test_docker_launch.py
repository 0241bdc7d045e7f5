"""Creating under a name that may be taken, with a real engine."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiodocker import Docker
from aiodocker.containers import DockerContainer

from eaas.ids import CardUuid
from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_config import container_names, create_payload
from eaas_agent.runtimes.docker_facts import EngineFacts
from eaas_agent.runtimes.port import CardSlot, RunOrder, StartFailed
from tests.rig.docker_orders import an_order, run, started
from tests.rig.engine import PrivateEngine
from tests.rig.registry import Registry

pytestmark = pytest.mark.docker


@asynccontextmanager
async def a_container(
    docker: Docker, order: RunOrder, *, agent_id: str | None
) -> AsyncIterator[DockerContainer]:
    """Create what an agent would have, or a stranger might, under the order's name."""
    facts = EngineFacts(version="20.10", api_version="1.41")
    assert order.image is not None
    config = create_payload(order, facts, agent_id=agent_id or "", image=order.image)
    if agent_id is None:
        del config["Labels"]
    container = await docker.containers.create(config, name=container_names(order)[0])
    try:
        yield container
    finally:
        await container.delete(force=True)


@pytest.fixture
async def order(docker_runtime: DockerRuntime, busybox: str, workspace: Path) -> RunOrder:
    await run(docker_runtime, an_order(busybox, None, workspace))
    return an_order(busybox, ("echo", "it ran"), workspace)


async def test_a_container_that_was_made_but_not_started_is_started(
    docker_runtime: DockerRuntime, docker: Docker, order: RunOrder
) -> None:
    async with a_container(docker, order, agent_id=docker_runtime.agent_id) as left:
        (found,) = await docker_runtime.find()
        begun = await started(docker_runtime, order)
        end = await docker_runtime.wait(order.key, begun.handle)

        assert (found.running, found.started_at) == (False, None)
        assert (begun.handle, end.exit_code) == (left.id, 0)


async def test_a_strangers_container_of_that_name_is_left_alone(
    docker_runtime: DockerRuntime, docker: Docker, order: RunOrder
) -> None:
    async with a_container(docker, order, agent_id=None) as strange:
        with pytest.raises(StartFailed, match="does not belong to Mini EaaS") as failure:
            await started(docker_runtime, order)

        assert failure.value.reason_code == "name_conflict"
        assert (await strange.show())["State"]["Status"] == "created"


async def test_another_pools_container_of_that_name_is_no_conflict(
    docker_runtime: DockerRuntime, docker: Docker, order: RunOrder
) -> None:
    async with a_container(docker, order, agent_id="of-another-pool"):
        first = await started(docker_runtime, order)
        again = await started(docker_runtime, order)

    assert first.handle == again.handle
    assert [found.handle for found in await docker_runtime.find()] == [first.handle]


async def test_a_container_that_can_not_start_is_not_left_behind(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    for order, code in (
        (an_order(busybox, "true", workspace, run_as="nobody-here"), "run_as_bad"),
        (an_order(busybox, "true", workspace, workdir="/etc/passwd/x"), "workdir_bad"),
    ):
        with pytest.raises(StartFailed) as failure:
            await started(docker_runtime, order)

        assert (failure.value.reason_code, failure.value.fault) == (code, "user")

    assert await docker_runtime.find() == []


async def test_an_image_that_vanished_since_it_was_seen_is_got_again(
    docker_runtime: DockerRuntime, docker: Docker, registry: Registry, workspace: Path
) -> None:
    image, command = f"{registry.address}/good", ("echo", "it ran")
    try:
        await run(docker_runtime, an_order(f"{image}:1", command, workspace))
        await docker.images.delete(f"{image}:1", force=True)
        outcome = await run(docker_runtime, an_order(f"{image}:1", command, workspace))
    finally:
        await docker.images.delete(f"{image}:1", force=True)

    assert outcome.stdout == b"it ran\n"


async def test_cards_that_the_engine_silently_kept_are_missed_at_once(
    docker: Docker, busybox: str, workspace: Path
) -> None:
    runc = shutil.which("runc")
    assert runc is not None
    engine = PrivateEngine(
        Path(tempfile.mkdtemp(prefix="eaas-engine-")), "--add-runtime", f"nvidia={runc}"
    )
    runtime = DockerRuntime(Path(engine.address.removeprefix("unix://")), "agent", "none")
    card = CardSlot(uuid=CardUuid("GPU-a"), minor=3)
    try:
        await asyncio.to_thread(engine.start)
        with pytest.raises(StartFailed) as failure:
            await started(runtime, an_order(busybox, "sleep 100", workspace, cards=(card,)))
        left = await runtime.find()
    finally:
        await runtime.close()
        await asyncio.to_thread(engine.stop)

    assert failure.value.sentence == "the engine gave the container cards [] instead of [3]"
    assert (failure.value.reason_code, failure.value.fault) == ("cards_not_given", "node")
    assert left == []


async def test_a_node_without_the_nvidia_runtime_says_so(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    if (await docker_runtime.probe()).can_isolate_cards:
        pytest.skip("this engine can give cards")
    card = CardSlot(uuid=CardUuid("GPU-a"), minor=3)

    with pytest.raises(StartFailed) as failure:
        await started(docker_runtime, an_order(busybox, "true", workspace, cards=(card,)))

    assert (failure.value.reason_code, failure.value.fault) == ("no_nvidia_runtime", "node")
