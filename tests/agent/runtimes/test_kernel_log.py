"""The kernel's word on memory, for ends whose engine missed it."""

import os
from pathlib import Path
from typing import Any

import pytest
from aiodocker import Docker

from eaas_agent.runtimes.docker_end import with_memory_told
from eaas_agent.runtimes.kernel_log import KERNEL_LOG, memory_ran_out

EATER = ("awk", 'BEGIN { s = "x"; while (1) s = s s }')

kernel_log = pytest.mark.skipif(
    not os.access(KERNEL_LOG, os.R_OK), reason="this user may not read the kernel's log"
)


async def ended(docker: Docker, image: str, command: tuple[str, ...]) -> dict[str, Any]:
    """Return the inspected container after its end; it is removed."""
    config: dict[str, Any] = {
        "Image": image,
        "Cmd": list(command),
        "HostConfig": {"Memory": 16 << 20, "NetworkMode": "none", "Init": True},
    }
    container = await docker.containers.create(config)
    try:
        await container.start()
        await container.wait()
        return dict(await container.show())
    finally:
        await container.delete(force=True)


def the_engine_missed_it(inspected: dict[str, Any]) -> dict[str, Any]:
    return {**inspected, "State": {**inspected["State"], "OOMKilled": False}}


@kernel_log
@pytest.mark.docker
async def test_an_end_over_the_limit_is_told_even_if_the_engine_missed_it(
    docker: Docker, busybox: str
) -> None:
    end = the_engine_missed_it(await ended(docker, busybox, EATER))

    told = await with_memory_told(end, end["Id"])

    assert (told["State"]["ExitCode"], told["State"]["OOMKilled"]) == (137, True)


@kernel_log
@pytest.mark.docker
async def test_a_program_that_ends_badly_by_itself_did_not_run_out_of_memory(
    docker: Docker, busybox: str
) -> None:
    end = await ended(docker, busybox, ("sh", "-c", "kill -9 $$"))

    told = await with_memory_told(end, end["Id"])

    assert (told["State"]["ExitCode"], told["State"]["OOMKilled"]) == (137, False)


OWN_LIMIT = "4,9,5,-;oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/docker/{},task=awk\n"
PARENT = "4,9,5,-;oom-kill:constraint=CONSTRAINT_NONE,global_oom,task_memcg=/docker/{},task=awk\n"
SCOPE = "4,9,5,-;oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/system.slice/docker-{}.scope,x\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [(OWN_LIMIT.format("abc"), True), (SCOPE.format("abc"), True), (PARENT.format("abc"), False)],
)
def test_only_the_containers_own_limit_counts(tmp_path: Path, line: str, told: bool) -> None:
    log = tmp_path / "kmsg"
    log.write_text(line)

    assert memory_ran_out("abc", log) is told
    assert not memory_ran_out("abd", log)


def test_without_a_log_nothing_is_told(tmp_path: Path) -> None:
    assert not memory_ran_out("abc", tmp_path / "none")
