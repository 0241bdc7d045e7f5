import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from aiodocker import Docker, DockerError

from eaas.ids import new_uid
from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_images import pinned
from eaas_agent.runtimes.port import StartFailed
from tests.rig.docker_orders import QUICK, an_order, ignore_phase, run, started
from tests.rig.registry import Registry

DIGEST = f"sha256:{'0' * 64}"


def test_a_digest_takes_the_place_of_the_tag() -> None:
    assert pinned("r:5000/a/b:1", DIGEST) == f"r:5000/a/b@{DIGEST}"
    assert pinned("a/b:1", None) == "a/b:1"
    assert pinned(f"a/b@{DIGEST}", f"sha256:{'1' * 64}") == f"a/b@{DIGEST}"


async def test_what_can_not_name_an_image_never_reaches_the_engine(tmp_path: Path) -> None:
    runtime = DockerRuntime(tmp_path / "nobody.sock", "agent")
    try:
        with pytest.raises(StartFailed) as failure:
            await runtime.start(an_order("../containers/x", None, tmp_path), ignore_phase)
    finally:
        await runtime.close()

    assert (failure.value.reason_code, failure.value.fault) == ("image_bad_name", "user")


@pytest.mark.docker
async def test_eight_first_jobs_at_once_all_get_the_image(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path
) -> None:
    orders = [an_order(busybox, ("echo", str(number)), workspace) for number in range(8)]

    outcomes = await asyncio.gather(*(run(docker_runtime, order) for order in orders))

    assert [outcome.stdout for outcome in outcomes] == [b"%d\n" % number for number in range(8)]


@pytest.fixture
async def mirrored(
    socket_path: Path, docker: Docker, registry: Registry
) -> AsyncIterator[DockerRuntime]:
    """The runtime of an agent that takes the Hub's images from the registry."""
    agent, mirror = f"test-{new_uid()}", registry.address
    runtime = DockerRuntime(socket_path, agent, "none", mirror=mirror, patience=QUICK)
    try:
        yield runtime
    finally:
        for found in await runtime.find():
            await runtime.remove(found.key, found.handle)
        await runtime.close()
        with suppress(DockerError):
            await docker.images.delete(f"{mirror}/library/good:1", force=True)


@pytest.mark.docker
async def test_the_hubs_images_come_from_the_mirror_and_keep_name_and_digest(
    mirrored: DockerRuntime, registry: Registry, workspace: Path
) -> None:
    by_name = await started(mirrored, an_order("good:1", "true", workspace))
    pinned_one = an_order("good:1", ("echo", "pinned"), workspace, digest=registry.digest)
    by_digest = await run(mirrored, pinned_one)

    assert by_name.image_digest == registry.digest
    assert by_digest.stdout == b"pinned\n"
    assert {image.name: image.digest for image in await mirrored.images()}["good:1"] == (
        registry.digest
    )


@pytest.mark.docker
async def test_what_neither_the_mirror_nor_the_hub_gives_says_so_of_both(
    mirrored: DockerRuntime, registry: Registry, workspace: Path
) -> None:
    with pytest.raises(StartFailed) as failure:
        await started(mirrored, an_order("missing:1", "true", workspace))

    first, _, second = failure.value.sentence.partition("; before, at the mirror: ")
    assert first.startswith("image missing:1")
    assert f"{registry.address}/library/missing" in second
    assert "manifest unknown" in second
