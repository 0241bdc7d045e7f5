"""A docker runtime of the test's own on the shared engine, and a folder to run in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiodocker import Docker

from eaas.ids import new_uid
from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.hello_image import HELLO_IMAGE
from tests.rig.docker_orders import QUICK, an_order, started
from tests.rig.registry import Registry, running_registry


@pytest.fixture
def socket_path(engine: str) -> Path:
    return Path(engine.removeprefix("unix://"))


@pytest.fixture
async def docker_runtime(socket_path: Path) -> AsyncIterator[DockerRuntime]:
    """The runtime of an agent of this test's own; what it left is removed. Mark it ``docker``."""
    runtime = DockerRuntime(socket_path, f"test-{new_uid()}", "none", patience=QUICK)
    try:
        yield runtime
    finally:
        for found in await runtime.find():
            await runtime.remove(found.key, found.handle)
        await runtime.close()


@pytest.fixture
def busybox() -> str:
    """The first job's image: a busybox that the runtime makes itself when it is missing."""
    return HELLO_IMAGE


@pytest.fixture
async def worker_image(docker: Docker, docker_runtime: DockerRuntime, workspace: Path) -> str:
    """An image that runs as user 1000 unless told otherwise."""
    order = an_order(HELLO_IMAGE, None, workspace)
    made = await started(docker_runtime, order)
    container = docker.containers.container(made.handle)
    await container.commit(repository="eaas-test/worker", tag="1", changes=["USER 1000:1000"])
    await docker_runtime.remove(order.key, made.handle)
    return "eaas-test/worker:1"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    async with running_registry() as registry:
        yield registry
