import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from eaas.client import Client, address_from
from eaas.paths import Paths, paths_from
from eaas_daemon.api.listening import PortInUse
from eaas_daemon.app import assemble
from eaas_daemon.clock import SystemClock
from eaas_daemon.config import ControllerConfig
from eaas_daemon.home import prepare_home
from eaas_daemon.store.failures import HomeInUse
from tests.rig.metrics import Scraped

ANY_PORT = ControllerConfig(port=0)


@asynccontextmanager
async def a_controller(paths: Paths) -> AsyncIterator[Client]:
    """Run a controller there; yields a client of it."""
    prepare_home(paths)
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        controller = await assemble(paths, ANY_PORT, SystemClock(), stack)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(controller.work(stop))
            try:
                async with Client(address_from({"MINI_EAAS_HOME": str(paths.home)})) as client:
                    yield client
            finally:
                stop.set()


async def started_and_stopped(paths: Paths, config: ControllerConfig) -> None:
    async with AsyncExitStack() as stack:
        await assemble(paths, config, SystemClock(), stack)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return paths_from({"MINI_EAAS_HOME": str(tmp_path / "home")})


async def test_a_controller_serves_and_remembers_over_a_restart(paths: Paths) -> None:
    async with a_controller(paths) as client:
        await client.create_pool("lab")
        job = await client.submit({"command": "true"})
        assert job.pool == "lab"

    async with a_controller(paths) as client:
        assert [pool.name for pool in await client.pools()] == ["lab"]
        assert (await client.job(job.id)).uid == job.uid


async def test_a_restart_resets_what_was_counted_and_nothing_that_stands(paths: Paths) -> None:
    queue = {"pool": "lab", "queue": "default"}
    async with a_controller(paths) as client:
        await client.create_pool("lab")
        await client.submit({"command": "true"})
        before = await scrape(paths)

    async with a_controller(paths):
        after = await scrape(paths)

    assert before.value("jobs_submitted_total", **queue) == 1
    assert after.value("jobs_submitted_total", **queue) == 0
    assert after.value("queue_jobs_waiting", **queue) == 1
    assert after.value("engine_seq") == before.value("engine_seq")


async def scrape(paths: Paths) -> Scraped:
    """Return what the controller there tells Prometheus."""
    connector = aiohttp.UnixConnector(str(paths.socket))
    async with (
        aiohttp.ClientSession("http://controller", connector=connector) as http,
        http.get("/metrics") as response,
    ):
        return Scraped(await response.text())


async def test_a_second_controller_on_the_same_home_is_refused(paths: Paths) -> None:
    async with a_controller(paths):
        with pytest.raises(HomeInUse, match="another controller"):
            await started_and_stopped(paths, ANY_PORT)


async def test_a_port_that_was_asked_for_and_is_taken_is_refused(paths: Paths) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        prepare_home(paths)
        config = ControllerConfig(port=taken.getsockname()[1])
        with pytest.raises(PortInUse):
            await started_and_stopped(paths, config)


@pytest.mark.parametrize(
    ("config", "scheme"),
    [
        (ANY_PORT, "http"),
        (ControllerConfig(port=0, listen="0.0.0.0"), "https"),
        (ControllerConfig(port=0, listen="0.0.0.0", insecure=True), "http"),
    ],
)
async def test_beyond_loopback_there_is_tls_unless_a_person_wants_none(
    paths: Paths, config: ControllerConfig, scheme: str
) -> None:
    prepare_home(paths)
    async with AsyncExitStack() as stack:
        controller = await assemble(paths, config, SystemClock(), stack)
        await controller.served.close()

    assert controller.served.address.partition(":")[0] == scheme
    assert (paths.trust / "server.pem").exists() == (scheme == "https")
