"""Folders of a node in jobs: read, written, one's own, and away for a while. As root only."""

import asyncio
import json
import os
import pwd
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from eaas.client import Address, Client
from eaas.errors import EaasError
from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.node_views import NodeView
from eaas_agent import housekeeping, mounts
from eaas_agent.named_folders import Mount
from tests.rig.agents import an_agent
from tests.rig.disks import a_disk, a_silent_disk
from tests.rig.pool import Installation, an_installation, node_when
from tests.rig.site import IMAGE, WITHIN_S, Site, provide_images

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]

DAEMON = pwd.getpwnam("daemon")


def mounts_in(folder: Path) -> tuple[Mount, ...]:
    """Make folders, and return them as the owner of a node would define them."""
    paths = {name: folder / name for name in ("data", "scratch", "homes", "nas", "real")}
    for path in paths.values():
        path.mkdir()
    (paths["data"] / "words").write_text("read me\n")
    paths["scratch"].chmod(0o1777)
    (folder / "link").symlink_to(paths["real"])
    return (
        Mount(name="data", path=paths["data"], read_only=True),
        Mount(name="scratch", path=paths["scratch"], users=("daemon",)),
        Mount(name="home", path=paths["homes"], per_user=True, create=True),
        Mount(name="nas", path=paths["nas"], must_be_mounted=True),
        Mount(name="linked", path=folder / "link"),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the folders lie."""
    return tmp_path_factory.mktemp("mounts")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(engine: str, folder: Path) -> AsyncIterator[Site]:
    """A pool of these tests' own, whose only node has mounts and looks at them all the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(housekeeping, "LOOK_EVERY_S", 0.1)
        patch.setattr(mounts, "WAIT_S", 2.0)
        async with an_installation(engine) as pool:
            pool.start_controller()
            await provide_images(engine)
            defined = mounts_in(folder)
            settings: dict[str, Any] = {"runtime": "docker", "simulate": None}
            socket, state_dir = pool.paths.socket, pool.paths.agent_state("box")
            async with (
                an_agent(state_dir, socket, name=NodeName("box"), mounts=defined, **settings),
                pool.client() as client,
            ):
                await node_when(client, "box", lambda node: True)
                await client.create_pool("default")
                await client.add_node("default", "box")
                yield Site(pool=pool, client=client, node="box", image=IMAGE)


async def as_daemon(pool: Installation) -> Client:
    """Return a client that comes as another person than root."""
    made = pool.said("token", "create", "--role", "member", "--user", "daemon", "-o", "json")
    async with pool.client() as client:
        url = (await client.status()).address
    assert url is not None, "it listens on a port"
    return Client(Address(url=url, token=json.loads(made)["token"]))


def says(name: str, reason: str | None) -> Callable[[NodeView], bool]:
    """Return what tells whether a node's mount of that name is as it should be."""
    return lambda node: any(mount.name == name and mount.reason == reason for mount in node.mounts)


async def test_a_job_reads_what_is_read_only_and_writes_what_is_not(
    site: Site, folder: Path
) -> None:
    reads = await site.run(
        "cat /data/words; echo no > /data/words && echo WRITTEN", mounts=["data:/data:ro"]
    )
    assert await site.log(reads) == b"read me\n"

    async with await as_daemon(site.pool) as client:
        own = Site(pool=site.pool, client=client, node="box", image=IMAGE)
        asked = ["scratch:/scratch", "home:/home"]
        writes = await own.run("echo $USER > /scratch/made; id -u > /home/id", mounts=asked)

    assert writes.state == JobState.SUCCEEDED, writes
    assert (folder / "scratch/made").read_text() == "daemon\n"
    assert (folder / "scratch/made").stat().st_uid == DAEMON.pw_uid
    assert (folder / "homes/daemon/id").read_text() == f"{DAEMON.pw_uid}\n"
    assert (folder / "homes/daemon").stat().st_mode & 0o777 == 0o700


async def test_what_can_never_be_is_refused_with_what_to_write_instead(site: Site) -> None:
    for asked, words in (
        ("dta:/data:ro", "box has no mount named dta; did you mean mount data?"),
        ("data:/data", "mount data of box is read-only: ask for data:/data:ro"),
        ("scratch:/scratch", "mount scratch of box is only for daemon"),
    ):
        with pytest.raises(EaasError) as refused:
            await site.submit("true", mounts=[asked])
        assert refused.value.sentence.endswith(words)

    linked = await site.submit("true", mounts=["linked:/data"])
    why = await site.client.why(linked.id)
    assert why.text.endswith("/link is a link: name the folder that it leads to")
    await site.client.cancel(linked.id)


async def test_every_mount_of_a_node_has_exactly_its_keys(site: Site) -> None:
    node = json.loads(site.pool.said("node", "show", "box", "-o", "json"))

    assert [mount["name"] for mount in node["mounts"]] == [
        *("data", "scratch", "home", "nas", "linked"),
    ]
    keys = {"name", "read_only", "available", "reason", "users", "queues", "per_user"}
    assert {frozenset(mount) for mount in node["mounts"]} == {frozenset(keys)}


async def test_a_job_waits_for_a_nas_that_is_away_and_starts_when_it_is_there(
    site: Site, folder: Path
) -> None:
    nas = folder / "nas"
    job = await site.submit("echo result > /nas/out", mounts=["nas:/nas"])
    why = await site.client.why(job.id)
    assert (why.verdict, why.nodes[0].code) == ("waiting", "mount_unavailable")
    assert why.text.endswith(f"mount nas of box can't be used now: nothing is mounted at {nas}")

    with a_disk(nas):
        assert (await site.end(job)).state == JobState.SUCCEEDED
        assert (nas / "out").read_text() == "result\n"

    assert os.listdir(nas) == []
    await node_when(site.client, "box", says("nas", f"nothing is mounted at {nas}"))
    assert (await site.submit("true", mounts=["nas:/nas"])).state == JobState.PENDING


async def test_a_nas_that_hangs_holds_up_nobody_else(site: Site, folder: Path) -> None:
    async with asyncio.timeout(WITHIN_S):
        with a_silent_disk(folder / "nas"):
            await node_when(site.client, "box", says("nas", "does not answer"))
            assert (await site.run("true", mounts=["data:/data:ro"])).state == JobState.SUCCEEDED
            shown = site.pool.said("node", "show", "box")
    assert "no: does not answer" in shown
