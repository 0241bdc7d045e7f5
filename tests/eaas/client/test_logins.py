import stat
from pathlib import Path

import pytest

from eaas.client.logins import (
    BadLogins,
    Login,
    Logins,
    logins_file,
    read_logins,
    write_logins,
)
from eaas.private_file import NotPrivate

BIG = Login(url="https://big:7470", token="t1", ca="c1")
FAR = Login(url="https://far:7470", token="t2", ca="")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"MINI_EAAS_HOME": str(tmp_path / "home")}


def test_nobody_has_logged_in_at_first(environ: dict[str, str]) -> None:
    assert read_logins(environ) == Logins()


def test_what_is_kept_is_for_one_user_only(environ: dict[str, str]) -> None:
    file = write_logins(environ, Logins(logins=(BIG, FAR)))

    assert read_logins(environ) == Logins(logins=(BIG, FAR))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_new_login_takes_the_place_of_an_older_one_and_is_the_last() -> None:
    again = Login(url=BIG.url, token="t3", ca="c3")
    logins = Logins(logins=(BIG, FAR)).with_one(again)

    assert logins.logins == (FAR, again)
    assert logins.to(BIG.url) == again


def test_a_login_can_be_forgotten() -> None:
    assert Logins(logins=(BIG, FAR)).without(BIG.url).logins == (FAR,)
    assert Logins(logins=(FAR,)).without(BIG.url).to(BIG.url) is None


def test_without_a_home_they_lie_with_the_persons_other_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    assert logins_file({}) == tmp_path / "mini-eaas" / "logins.json"


def test_what_others_can_read_is_not_used(environ: dict[str, str]) -> None:
    write_logins(environ, Logins(logins=(BIG,))).chmod(0o644)

    with pytest.raises(NotPrivate, match="chmod 600"):
        read_logins(environ)


@pytest.mark.parametrize("content", [b"", b"{", b'{"logins": [{"url": 1}]}', b"\xff"])
def test_what_is_no_list_of_logins_says_what_to_do(environ: dict[str, str], content: bytes) -> None:
    file = write_logins(environ, Logins())
    file.write_bytes(content)

    with pytest.raises(BadLogins, match="log in anew, after removing it"):
        read_logins(environ)


def test_where_nothing_can_be_kept_a_sentence_says_so(environ: dict[str, str]) -> None:
    file = write_logins(environ, Logins(logins=(BIG,)))
    file.with_name("logins.json.part").mkdir()

    with pytest.raises(BadLogins, match=r"logins.json can't be written: Is a directory"):
        write_logins(environ, Logins())
    assert read_logins(environ) == Logins(logins=(BIG,))
