import asyncio
import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from eaas.wire.from_agent import NamedMount
from eaas_agent.mount_check import places_of
from eaas_agent.mounts import SILENT, Mounts
from eaas_agent.named_folders import Mount
from eaas_agent.patience import Patience
from eaas_agent.runtimes.port import Bind, StartFailed
from tests.rig.agents import an_order
from tests.rig.disks import a_silent_disk

ME = pwd.getpwuid(os.geteuid()).pw_name
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Node:
    """A node with mounts below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.patience = Patience(30.0)

    def mounts(self, *defined: Mount) -> Mounts:
        places = places_of(self.folder / "agent", os.geteuid())
        return Mounts(defined, places, patience=self.patience)

    def mount(self, name: str, *, there: bool = True, **but: Any) -> Mount:
        if there:
            (self.folder / name).mkdir()
        return Mount(name=name, path=self.folder / name, **but)


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


async def refusal(mounts: Mounts, *asked: str, **order: Any) -> tuple[str, str, str]:
    with pytest.raises(StartFailed) as caught:
        await mounts.binds(an_order(mounts=asked, user=ME, queue="gpu/train", **order))
    return caught.value.sentence, caught.value.reason_code, caught.value.fault


async def test_what_is_named_is_told_with_its_rules_once_it_was_looked_at(node: Node) -> None:
    mounts = node.mounts(
        node.mount("data", read_only=True, users=("ada",), queues=("train",)),
        node.mount("gone", there=False),
        node.mount("home", per_user=True),
    )
    assert {mount.unavailable for mount in mounts.told()} == {"not looked at yet"}
    (node.folder / "home" / ME).mkdir()

    await mounts.look()

    gone = f"{node.folder}/gone is not there"
    assert mounts.told() == (
        NamedMount(name="data", read_only=True, users=("ada",), queues=("train",)),
        NamedMount(name="gone", unavailable=gone),
        NamedMount(name="home", per_user=True, people=(ME,)),
    )


async def test_a_job_gets_the_folders_it_asks_for(node: Node) -> None:
    mounts = node.mounts(
        node.mount("data", read_only=True), node.mount("home", per_user=True, create=True)
    )

    binds = await mounts.binds(an_order(mounts=("data:/data:ro", "home:/home"), user=ME))

    assert binds == (
        Bind(source=node.folder / "data", target="/data", read_only=True),
        Bind(source=node.folder / "home" / ME, target="/home", read_only=False),
    )


async def test_many_jobs_of_a_new_user_agree_on_one_folder(node: Node) -> None:
    mounts = node.mounts(node.mount("home", per_user=True, create=True))
    orders = [an_order(mounts=("home:/home",), user=ME) for _ in range(20)]

    given = await asyncio.gather(*map(mounts.binds, orders))

    assert len(set(given)) == 1


async def test_what_the_owner_has_changed_meanwhile_counts(node: Node) -> None:
    mounts = node.mounts(
        node.mount("data", read_only=True),
        node.mount("ours", users=("ada", "bob")),
        node.mount("night", queues=("night",)),
    )

    told = [await refusal(mounts, f"{name}:/x") for name in ("data", "ours", "night", "other")]

    assert [(code, fault) for _, code, fault in told] == [
        ("mount_read_only", "node"),
        ("mount_not_allowed", "node"),
        ("mount_not_allowed", "node"),
        ("mount_missing", "node"),
    ]


async def test_a_mount_that_is_gone_at_the_start_is_told_gone(node: Node) -> None:
    mounts = node.mounts(node.mount("data"))
    await mounts.look()
    (node.folder / "data").rmdir()

    sentence, code, fault = await refusal(mounts, "data:/data")

    gone = f"{node.folder}/data is not there"
    assert (sentence, code) == (f"mount data can't be used now: {gone}", "mount_unavailable")
    assert (fault, mounts.told()[0].unavailable) == ("node", gone)


async def test_a_user_without_a_folder_is_told_so_and_the_mount_stays(node: Node) -> None:
    mounts = node.mounts(node.mount("home", per_user=True))
    await mounts.look()

    sentence, code, fault = await refusal(mounts, "home:/home")

    assert sentence == f"mount home: {node.folder}/home/{ME} is not there"
    assert (code, fault, mounts.told()[0].unavailable) == ("mount_without_folder", "user", None)


async def test_new_rules_count_at_once_and_new_mounts_after_a_look(node: Node) -> None:
    data, more = node.mount("data"), node.mount("more")
    mounts = node.mounts(data)
    await mounts.look()

    mounts.define([data, more])

    assert [mount.unavailable for mount in mounts.told()] == [None, "not looked at yet"]
    await mounts.look()
    assert [mount.unavailable for mount in mounts.told()] == [None, None]
    mounts.define([])
    assert mounts.told() == ()


@needs_root
async def test_a_disk_that_never_answers_holds_up_neither_looks_nor_other_jobs(node: Node) -> None:
    nas = node.mount("nas")
    mounts = node.mounts(node.mount("data"), nas)
    with a_silent_disk(nas.path):
        node.patience.wait_s = 0.05
        with pytest.raises(StartFailed):
            await mounts.binds(an_order(mounts=("nas:/nas",)))
        node.patience.wait_s = 30.0
        async with asyncio.timeout(20):
            await mounts.look()
            sentence, code, _ = await refusal(mounts, "nas:/nas")
        assert sentence == f"mount nas can't be used now: {SILENT}"
        assert code == "mount_unavailable"
        assert [mount.unavailable for mount in mounts.told()] == [None, SILENT]
        assert len(await mounts.binds(an_order(mounts=("data:/data",)))) == 1

    async with asyncio.timeout(20):
        while mounts.told()[1].unavailable is not None:
            await mounts.look()
            await asyncio.sleep(0.01)
