"""Folders of the host in containers, on a real engine."""

import os
import pwd
from pathlib import Path

import pytest
from msgspec import structs

from eaas_agent.runtimes.docker import DockerRuntime
from eaas_agent.runtimes.port import Bind, RunOrder, StartFailed
from tests.rig.disks import a_disk
from tests.rig.docker_orders import an_order, ignore_phase, run, started

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]

DAEMON = pwd.getpwnam("daemon")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    (path / "words").write_text("from the host\n")
    return path


def with_mount(order: RunOrder, source: Path, *, read_only: bool, user: str = "root") -> RunOrder:
    bind = Bind(source=source, target="/data", read_only=read_only)
    return structs.replace(order, mounts=(bind,), user=user)


async def test_a_read_only_mount_is_read_and_not_written(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path, data: Path
) -> None:
    data.chmod(0o777)
    order = an_order(busybox, "cat /data/words; echo no > /data/words", workspace)

    outcome = await run(docker_runtime, with_mount(order, data, read_only=True))

    assert outcome.stdout == b"from the host\n"
    assert outcome.exit.exit_code != 0
    assert b"Read-only file system" in outcome.stderr
    assert (data / "words").read_text() == "from the host\n"


async def test_a_disk_inside_a_read_only_mount_is_not_written_either(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path, data: Path
) -> None:
    inner = data / "inner"
    inner.mkdir(mode=0o777)
    with a_disk(inner):
        inner.chmod(0o777)
        order = an_order(busybox, "echo no > /data/inner/file", workspace)
        outcome = await run(docker_runtime, with_mount(order, data, read_only=True))
        assert os.listdir(inner) == []
    assert outcome.exit.exit_code != 0


async def test_what_a_job_writes_is_its_submitters_and_its_rights_are_theirs(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path, data: Path
) -> None:
    data.chmod(0o777)
    (data / "secret").write_text("root's own")
    (data / "secret").chmod(0o600)
    command = "echo mine > /data/made; cat /data/secret || echo $USER $HOME; echo > here"

    outcome = await run(
        docker_runtime,
        with_mount(an_order(busybox, command, workspace), data, read_only=False, user="daemon"),
    )

    assert (outcome.exit.exit_code, outcome.stdout) == (0, b"daemon /workspace\n")
    made = (data / "made").stat()
    assert (made.st_uid, made.st_gid) == (DAEMON.pw_uid, DAEMON.pw_gid)


async def test_a_folder_that_is_missing_is_never_made(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path, tmp_path: Path
) -> None:
    order = with_mount(an_order(busybox, "true", workspace), tmp_path / "gone", read_only=False)

    with pytest.raises(StartFailed) as caught:
        await started(docker_runtime, order)

    assert (caught.value.reason_code, caught.value.fault) == ("mount_unavailable", "node")
    assert not (tmp_path / "gone").exists()


async def test_nothing_is_made_when_the_mount_is_gone_once_the_image_is_there(
    docker_runtime: DockerRuntime, busybox: str, workspace: Path, data: Path
) -> None:
    async def gone() -> None:
        raise StartFailed("nothing is mounted", code="mount_unavailable", fault="node")

    order = with_mount(an_order(busybox, "true", workspace), data, read_only=True)

    with pytest.raises(StartFailed, match="nothing is mounted"):
        await docker_runtime.start(order, ignore_phase, gone)

    assert await docker_runtime.find() == []
