import asyncio
from pathlib import Path

import pytest

from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.docker_images import pinned
from eaas_agent.runtimes.port import StartFailed
from tests.rig.docker_orders import an_order, ignore_phase, run

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
