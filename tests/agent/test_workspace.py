import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import pytest

from eaas.unpack import UnsafeTar
from eaas_agent.workspace import Workspaces
from tests.rig.tars import a_tar


class Shop:
    """Packs by name; counts what was fetched."""

    def __init__(self, **packs: bytes) -> None:
        self.packs = packs
        self.fetched: list[str] = []

    @asynccontextmanager
    async def fetch(self, pack: str) -> AsyncIterator[IO[bytes]]:
        self.fetched.append(pack)
        yield io.BytesIO(self.packs[pack])


def workspaces(tmp_path: Path, shop: Shop | None = None) -> Workspaces:
    made = Workspaces(tmp_path / "workspaces", (shop or Shop()).fetch)
    made.open()
    return made


async def test_a_workspace_without_a_pack_is_empty(tmp_path: Path) -> None:
    path = await workspaces(tmp_path).prepare("job", None)

    assert list(path.iterdir()) == []


async def test_a_second_attempt_finds_what_the_first_one_left(tmp_path: Path) -> None:
    shop = Shop(p=a_tar({"train.py": b"print()"}))
    made = workspaces(tmp_path, shop)
    path = await made.prepare("job", "p")
    (path / "checkpoint").write_bytes(b"42")
    (path / "train.py").write_bytes(b"changed by the job")

    again = await made.prepare("job", "p")

    assert again == path
    assert (path / "train.py").read_bytes() == b"changed by the job"
    assert shop.fetched == ["p"]


async def test_two_asking_at_once_unpack_once(tmp_path: Path) -> None:
    shop = Shop(p=a_tar({"a": b"1"}))
    made = workspaces(tmp_path, shop)

    await asyncio.gather(made.prepare("job", "p"), made.prepare("job", "p"))

    assert shop.fetched == ["p"]


async def test_a_tar_that_reaches_out_leaves_no_workspace(tmp_path: Path) -> None:
    made = workspaces(tmp_path, Shop(p=a_tar({"ok": b"1", "../evil": b"2"})))

    with pytest.raises(UnsafeTar):
        await made.prepare("job", "p")

    assert not made.path("job").exists()
    assert not (tmp_path / "evil").exists()


async def test_a_half_filled_workspace_is_cleared_away_at_the_start(tmp_path: Path) -> None:
    made = workspaces(tmp_path)
    (made.root / ".job.part").mkdir()
    (made.root / "kept").mkdir()

    made.open()

    assert [path.name for path in made.root.iterdir()] == ["kept"]


async def test_a_deleted_workspace_is_gone_and_deleting_twice_is_harmless(tmp_path: Path) -> None:
    made = workspaces(tmp_path)
    path = await made.prepare("job", None)
    (path / "file").write_bytes(b"x")

    await made.delete("job")
    await made.delete("job")

    assert list(made.root.iterdir()) == []


def test_free_room_is_known(tmp_path: Path) -> None:
    assert (workspaces(tmp_path).free_mib() or 0) > 0
    assert Workspaces(tmp_path / "nowhere", Shop().fetch).free_mib() is None


@pytest.mark.parametrize("pack", [None, "p"])
async def test_other_users_of_the_host_cannot_look_into_a_workspace(
    tmp_path: Path, pack: str | None
) -> None:
    made = workspaces(tmp_path, Shop(p=a_tar({"a": b"1"})))

    path = await made.prepare("job", pack)

    assert (made.root.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o711, 0o700)


def test_containers_need_no_way_into_the_folder_of_workspaces(tmp_path: Path) -> None:
    made = workspaces(tmp_path)

    made.open(passable=False)

    assert made.root.stat().st_mode & 0o777 == 0o700
