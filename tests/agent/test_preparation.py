from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import pytest

from eaas.ids import CardUuid
from eaas.wire.to_agent import Order, Rank
from eaas_agent.cards.port import CardReading, CardsPicture
from eaas_agent.model import Attempt
from eaas_agent.packs import PackAway
from eaas_agent.preparation import Preparation, card_slots
from eaas_agent.runtimes.port import Bind, CardSlot, RunOrder, StartFailed
from eaas_agent.workspace import Workspaces
from tests.rig.agents import an_order

CARD = CardReading(
    uuid=CardUuid("GPU-a"),
    index=0,
    minor=3,
    model="RTX",
    memory_total_mib=1,
    memory_used_mib=0,
    utilization_pct=0,
    temperature_c=0,
    power_w=0.0,
    processes=(),
)
DATA = Bind(source=Path("/srv/data"), target="/data", read_only=True)
PICTURE = CardsPicture(state="ok", cards=(CARD,), sampled_at=0.0)


@asynccontextmanager
async def no_pack(pack: str) -> AsyncIterator[IO[bytes]]:
    raise PackAway(f"the controller has no pack {pack}")
    yield


async def the_mounts(order: Order) -> tuple[Bind, ...]:
    if order.mounts == ("gone:/data",):
        raise StartFailed("it is gone", code="mount_unavailable", fault="node")
    return (DATA,)


async def prepare(tmp_path: Path, order: Order, log_cap_mib: int | None = None) -> RunOrder:
    workspaces = Workspaces(tmp_path / "w", no_pack)
    workspaces.open()
    preparation = Preparation(
        workspaces,
        cards=lambda: PICTURE,
        inside=lambda path: "/workspace",
        mounts=the_mounts,
        log_cap_mib=log_cap_mib,
    )
    return await preparation(Attempt(order=order, state="accepted", boot_id="b"))


async def test_an_order_becomes_what_a_runtime_takes(tmp_path: Path) -> None:
    order = an_order(("a", "b"), cards=("GPU-a",), memory_mib=512, run_as="1000", user="ada")

    ready = await prepare(tmp_path, order)

    assert (ready.command, ready.memory_mib) == (("a", "b"), 512)
    assert (ready.run_as, ready.user) == ("1000", "ada")
    assert ready.cards == (CardSlot(uuid=CardUuid("GPU-a"), minor=3),)
    assert ready.workspace == tmp_path / "w" / order.uid
    assert ready.workspace.is_dir()
    assert ready.env["EAAS_WORKSPACE"] == "/workspace"


async def test_a_nodes_own_log_cap_is_never_exceeded(tmp_path: Path) -> None:
    assert (await prepare(tmp_path, an_order(log_cap_mib=64), 100)).log_cap_mib == 64
    assert (await prepare(tmp_path, an_order(log_cap_mib=200), 100)).log_cap_mib == 100


async def test_only_a_rank_of_several_gets_the_hosts_network(tmp_path: Path) -> None:
    rank = Rank(rank=0, ranks=2, address="10.0.0.7", port=29500, whole=1)

    assert (await prepare(tmp_path, an_order(rank=rank))).on_host_network
    assert not (await prepare(tmp_path, an_order())).on_host_network


async def test_a_missing_pack_is_the_nodes_fault(tmp_path: Path) -> None:
    with pytest.raises(StartFailed) as caught:
        await prepare(tmp_path, an_order(pack="sha256:0"))

    assert (caught.value.reason_code, caught.value.fault) == ("pack_unavailable", "node")


async def test_mounts_are_given_to_those_who_ask_for_them(tmp_path: Path) -> None:
    assert (await prepare(tmp_path, an_order(mounts=("data:/data:ro",)))).mounts == (DATA,)
    assert (await prepare(tmp_path, an_order())).mounts == ()


async def test_a_mount_that_cannot_be_given_is_refused_rather_than_left_out(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="it is gone"):
        await prepare(tmp_path, an_order(mounts=("gone:/data",)))


async def test_a_workspace_that_cannot_be_made_is_the_nodes_fault(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "nowhere" / "w", no_pack)
    preparation = Preparation(workspaces, cards=lambda: PICTURE, inside=str, mounts=the_mounts)

    with pytest.raises(StartFailed) as caught:
        await preparation(Attempt(order=an_order(), state="accepted", boot_id="b"))

    assert (caught.value.reason_code, caught.value.fault) == ("workspace_error", "node")


def test_a_card_that_is_gone_is_the_nodes_fault() -> None:
    with pytest.raises(StartFailed, match="GPU-b is not in this node") as caught:
        card_slots(an_order(cards=("GPU-b",)), PICTURE)

    assert caught.value.reason_code == "card_lost"


def test_while_the_driver_is_silent_the_uuid_must_do() -> None:
    silent = CardsPicture(state="unknown", sampled_at=0.0)

    assert card_slots(an_order(cards=("GPU-b",)), silent) == (CardSlot(uuid=CardUuid("GPU-b")),)
