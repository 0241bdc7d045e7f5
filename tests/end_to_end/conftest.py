"""The pools that the tests of the whole share, and each runtime's node of one."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Final

import pytest
import pytest_asyncio

from eaas.client import Client
from tests.rig.engine import answering_engine
from tests.rig.pool import Installation, an_installation
from tests.rig.site import IMAGE, WITHIN_S, Site, provide_images

CARDS: Final = "2x8GiB"
EITHER: Final = ["process", pytest.param("docker", marks=pytest.mark.docker)]
"""Both runtimes: the tests of containers are skipped where no engine answers."""


def an_engine() -> str | None:
    """Return the engine that answers here, if one does."""
    return answering_engine(os.environ)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared() -> AsyncIterator[Installation]:
    """A pool that lives as long as the tests: ``plain`` runs processes, ``box`` containers."""
    engine = an_engine()
    async with an_installation(engine) as pool:
        pool.start_controller()
        await pool.add_agent("plain", simulate=CARDS)
        if engine is not None:
            await provide_images(engine)
            await pool.add_agent("box", runtime="docker", simulate=CARDS)
        yield pool


@pytest.fixture
async def client(shared: Installation) -> AsyncIterator[Client]:
    """A client of the shared pool; what a test leaves behind there is cancelled."""
    async with shared.client() as client:
        yield client
        ids = [job.id async for job in client.each_job()]
        for id in ids:
            await client.cancel(id, grace_s=0)
        async with asyncio.timeout(WITHIN_S):
            await client.wait(*ids)


@pytest.fixture(params=EITHER)
def site(request: pytest.FixtureRequest, shared: Installation, client: Client) -> Site:
    """Each runtime's node of the shared pool."""
    return shared_site(request.param, shared, client)


@pytest.fixture
def plain(shared: Installation, client: Client) -> Site:
    """The shared pool's node of plain processes."""
    return shared_site("process", shared, client)


@pytest.fixture
def box(shared: Installation, client: Client) -> Site:
    """The shared pool's node of containers. Mark the test ``docker``."""
    return shared_site("docker", shared, client)


def shared_site(runtime: str, shared: Installation, client: Client) -> Site:
    """Return the runtime's node of the shared pool."""
    if runtime == "docker":
        return Site(pool=shared, client=client, node="box", image=IMAGE)
    return Site(pool=shared, client=client, node="plain", image=None)


@pytest.fixture
async def empty() -> AsyncIterator[Installation]:
    """An installation of the test's own, with nothing started yet."""
    async with an_installation() as pool:
        yield pool


@pytest.fixture(params=EITHER)
async def own(request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    """A pool of the test's own with one node, to be killed at will, on each runtime."""
    runtime = request.param
    engine = an_engine() if runtime == "docker" else None
    async with an_installation(engine) as pool:
        pool.start_controller()
        if engine is not None:
            await provide_images(engine)
        await pool.add_agent("node-a", runtime=runtime, simulate=CARDS)
        async with pool.client() as client:
            image = IMAGE if runtime == "docker" else None
            yield Site(pool=pool, client=client, node="node-a", image=image)
