import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.client.address import Address
from eaas.ids import NodeName
from eaas.private_file import NotPrivate
from eaas_agent.passport import FILE, BadPassport, Passport, read_passport, write_passport

PASSPORT = Passport(
    url="https://big:7470",
    ca="pem",
    node=NodeName("n1"),
    credential="secret",
    got_at=7.0,
    renew_after_s=60.0,
)


def test_an_agent_that_has_not_joined_has_none(tmp_path: Path) -> None:
    assert read_passport(tmp_path) is None


def test_what_is_kept_is_for_the_agent_only(tmp_path: Path) -> None:
    write_passport(tmp_path, PASSPORT)

    assert read_passport(tmp_path) == PASSPORT
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_it_says_how_to_reach_the_controller(tmp_path: Path) -> None:
    assert PASSPORT.address == Address(url="https://big:7470", token="secret", ca="pem")


@pytest.mark.parametrize("content", [b"", b'{"url": 7}', b"\xff"])
def test_what_is_none_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    write_passport(tmp_path, PASSPORT)
    (tmp_path / FILE).write_bytes(content)

    with pytest.raises(BadPassport, match="remove it and join again: mini-eaas agent join"):
        read_passport(tmp_path)


def test_one_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    write_passport(tmp_path, PASSPORT)
    (tmp_path / FILE).chmod(0o640)

    with pytest.raises(NotPrivate, match="chmod 600"):
        read_passport(tmp_path)


def test_where_a_new_one_can_not_be_written_the_old_one_stays(tmp_path: Path) -> None:
    write_passport(tmp_path, PASSPORT)
    (tmp_path / f"{FILE}.part").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_passport(tmp_path, replace(PASSPORT, credential="new"))
    assert read_passport(tmp_path) == PASSPORT
