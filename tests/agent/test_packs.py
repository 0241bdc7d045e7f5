import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from eaas.client.address import Address
from eaas_agent import packs
from eaas_agent.dial import Dial
from eaas_agent.packs import Fetch, PackAway, PackWrong, pack_fetcher
from tests.rig.scripted_controller import ScriptedController, scripted_controller


@asynccontextmanager
async def a_shop(tmp_path: Path) -> AsyncIterator[tuple[ScriptedController, Fetch]]:
    async with (
        scripted_controller(tmp_path / "c") as controller,
        Dial(Address(socket=tmp_path / "c")) as dial,
    ):
        yield controller, pack_fetcher(dial, tmp_path)


async def test_a_pack_arrives_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096
    async with a_shop(tmp_path) as (controller, fetch), fetch(controller.add_pack(content)) as f:
        assert f.read() == content


async def test_a_pack_with_another_hash_is_not_believed(tmp_path: Path) -> None:
    wanted = hashlib.sha256(b"what was submitted").hexdigest()
    async with a_shop(tmp_path) as (controller, fetch):
        controller.packs[wanted] = b"something else"

        with pytest.raises(PackWrong):
            async with fetch(f"sha256:{wanted}"):
                pass


async def test_a_pack_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    async with a_shop(tmp_path) as (_, fetch):
        with pytest.raises(PackAway, match="has no pack sha256:"):
            async with fetch("sha256:" + "0" * 64):
                pass


async def test_a_controller_that_is_away_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "TRY_AGAIN_S", 0.01)
    async with a_shop(tmp_path) as (controller, fetch):
        await controller.close()

        with pytest.raises(PackAway, match="can't be fetched"):
            async with fetch("sha256:" + "0" * 64):
                pass
