import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas.errors import NotFound, TooLarge
from eaas_daemon.api.packs import PackStore, WrongPack


def name_of(content: bytes) -> str:
    """Return what a pack with this content is called."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    """Yield these."""
    for piece in content:
        yield piece


def files(root: Path) -> list[bytes]:
    """Return the content of every file below the folder."""
    return [path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()]


async def test_a_pack_is_kept_under_its_hash(tmp_path: Path) -> None:
    packs = PackStore(tmp_path / "packs")
    name = name_of(b"onetwo")

    assert not packs.has(name)
    assert await packs.take(name, pieces(b"one", b"two")) is True
    assert await packs.take(name, pieces(b"onetwo")) is False

    assert packs.found(name).read_bytes() == b"onetwo"
    assert files(tmp_path) == [b"onetwo"]


async def test_bytes_with_another_hash_leave_nothing(tmp_path: Path) -> None:
    packs = PackStore(tmp_path / "packs")

    with pytest.raises(WrongPack):
        await packs.take(name_of(b"one"), pieces(b"two"))

    assert files(tmp_path) == []


async def test_a_pack_over_the_limit_leaves_nothing(tmp_path: Path) -> None:
    packs = PackStore(tmp_path / "packs", max_bytes=5)

    with pytest.raises(TooLarge):
        await packs.take(name_of(b"onetwo"), pieces(b"one", b"two"))

    assert files(tmp_path) == []


async def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield b"one"
        raise ConnectionResetError

    packs = PackStore(tmp_path / "packs")

    with pytest.raises(ConnectionResetError):
        await packs.take(name_of(b"one"), breaking())

    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["", "sha256:", "sha256:../../etc/passwd", "sha256:" + "A" * 64, "md5:" + "a" * 64]
)
def test_only_a_hash_names_a_pack(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        PackStore(tmp_path).has(name)
