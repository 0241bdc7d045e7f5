import asyncio

import pytest
from aiodocker import Docker
from aiodocker.containers import DockerContainer
from aiodocker.types import JSONObject, JSONValue

from tests.rig.engine import PrivateEngine, answering_engine
from tests.rig.images import import_busybox


async def run(docker: Docker, image: str, command: str, **host: JSONValue) -> DockerContainer:
    config: JSONObject = {"Image": image, "Cmd": ["sh", "-c", command], "HostConfig": host}
    container = await docker.containers.create(config)
    await container.start()
    return container


async def finished(container: DockerContainer) -> tuple[int, str]:
    ended = await container.wait()
    log = await container.log(stdout=True)
    await container.delete(force=True)
    return ended["StatusCode"], "".join(log)


def test_an_address_where_nobody_listens_is_no_engine() -> None:
    assert answering_engine({"DOCKER_HOST": "unix:///nowhere.sock"}) is None
    assert answering_engine({"DOCKER_HOST": "tcp://127.0.0.1:1"}) is None


@pytest.mark.docker
async def test_an_imported_busybox_runs_and_its_log_is_read(docker: Docker, busybox: str) -> None:
    container = await run(docker, busybox, "echo hello; id -u; exit 3", Memory=32 << 20)

    assert await finished(container) == (3, "hello\n0\n")


@pytest.mark.docker
async def test_the_workers_image_does_not_run_as_root(
    docker: Docker, busybox_of_a_worker: str
) -> None:
    container = await run(docker, busybox_of_a_worker, "id -u; id -un", CapDrop=["ALL"])

    assert await finished(container) == (0, "1000\nworker\n")


@pytest.mark.docker
async def test_a_container_outlives_a_crash_of_its_private_engine(
    private_engine: PrivateEngine,
) -> None:
    async with Docker(private_engine.address) as docker:
        await import_busybox(docker, "box:1")
        container = await run(docker, "box:1", "sleep 1000", Init=True)
        before = await container.show()
        await asyncio.to_thread(private_engine.crash)
        await asyncio.to_thread(private_engine.start)
        after = await container.show()

    assert after["State"]["Pid"] == before["State"]["Pid"]
    assert after["State"]["Running"]
