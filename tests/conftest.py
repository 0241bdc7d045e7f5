"""What every test may ask for: a container engine that answers, and images to run on it."""

import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiodocker import Docker
from hypothesis import HealthCheck, settings

from eaas.log_lines import OWN
from tests.rig.engine import PrivateEngine, answering_engine, why_no_private_engine
from tests.rig.images import import_busybox, why_no_busybox

settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow], deadline=None)
"""How long examples take to be made says something of the machine's other work only."""

settings.register_profile("ci", settings.get_profile("busy"), derandomize=True)
"""A gate gives the same answer for the same code; people's own runs go on finding new examples."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary folders so short that a unix socket fits into them, on any worker."""
    settings.load_profile("ci" if os.environ.get("CI") else "busy")
    if config.option.basetemp is None and not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="eaas-test-")
        config.option.basetemp = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked ``docker`` without an engine, saying why; on CI they fail instead."""
    if item.get_closest_marker("docker") and (reason := _why_no_containers()):
        _refuse(reason)


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """Give the root logger back as it was: what a program logs to ends with its test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in OWN:
        logging.getLogger(name).setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def engine() -> str:
    """The address of the container engine, as in DOCKER_HOST. Mark the test ``docker``."""
    address = answering_engine(os.environ)
    assert address is not None, "mark the test `docker`"
    return address


@pytest.fixture
async def docker(engine: str) -> AsyncIterator[Docker]:
    """A client of the engine; closed after the test."""
    async with Docker(engine) as client:
        yield client


@pytest.fixture
async def busybox(docker: Docker) -> str:
    """The name of a busybox image, imported and ready to run."""
    name = "eaas-test/busybox:1"
    await import_busybox(docker, name)
    return name


@pytest.fixture
async def busybox_of_a_worker(docker: Docker) -> str:
    """The name of the same image, made to run as user 1000 instead of root."""
    name = "eaas-test/busybox-worker:1"
    await import_busybox(docker, name, user="1000:1000")
    return name


@pytest.fixture
def private_engine() -> Iterator[PrivateEngine]:
    """An engine of the test's own, to be killed and restarted. Mark the test ``docker``."""
    if reason := why_no_private_engine():
        _refuse(reason)
    engine = PrivateEngine(Path(tempfile.mkdtemp(prefix="eaas-engine-")), "--live-restore")
    try:
        engine.start()
        yield engine
    finally:
        engine.stop()


def _why_no_containers() -> str | None:
    if answering_engine(os.environ) is None:
        return "no container engine answers (DOCKER_HOST, else /var/run/docker.sock)"
    return why_no_busybox()


def _refuse(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"CI must run this test, but {reason}", pytrace=False)
    pytest.skip(reason)
