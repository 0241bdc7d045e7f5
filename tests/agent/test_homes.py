import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from eaas_agent import homes as homes_module
from eaas_agent.homes import NoHome, home_of, people_in
from eaas_agent.safe_folder import OpenFolder, opened

ME = pwd.getpwuid(os.geteuid()).pw_name
MINE = frozenset({0, os.geteuid()})
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[OpenFolder]:
    with opened(tmp_path, MINE) as folder:
        yield folder


def test_who_has_a_folder_of_their_own_is_told(homes: OpenFolder) -> None:
    for name in (ME, "stranger", ".hidden"):
        (homes.path / name).mkdir()
    (homes.path / "file").touch()
    (homes.path / "link").symlink_to(homes.path / ME)

    assert people_in(homes) == (ME,)


def test_too_many_people_are_not_told(homes: OpenFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes_module, "MAX_TOLD", 1)
    (homes.path / ME).mkdir()
    assert people_in(homes) == (ME,)

    (homes.path / "other").mkdir()

    assert people_in(homes) is None


def test_a_user_gets_the_folder_that_is_theirs(homes: OpenFolder) -> None:
    (homes.path / ME).mkdir()

    assert home_of(ME, homes, create=False) == ME


@pytest.mark.parametrize("user", ["no-such-user", "..", ".", "a/b", "", "a\nb"])
def test_who_is_no_user_of_the_node_has_none(homes: OpenFolder, user: str) -> None:
    with pytest.raises(NoHome, match="is no user of this node"):
        home_of(user, homes, create=True)
    assert os.listdir(homes.path) == []


def test_a_missing_folder_and_a_link_are_none(homes: OpenFolder) -> None:
    with pytest.raises(NoHome, match=f"{ME} is not there"):
        home_of(ME, homes, create=False)

    (homes.path / ME).symlink_to("/etc")
    with pytest.raises(NoHome, match=f"{ME} is a link"):
        home_of(ME, homes, create=True)


@needs_root
def test_a_folder_of_somebody_else_is_none(homes: OpenFolder) -> None:
    (homes.path / "daemon").mkdir()

    with pytest.raises(NoHome, match="belongs to root and not to daemon"):
        home_of("daemon", homes, create=True)


@needs_root
def test_root_makes_a_folder_that_is_its_users_alone(homes: OpenFolder) -> None:
    daemon = pwd.getpwnam("daemon")

    assert home_of("daemon", homes, create=True) == "daemon"

    made = (homes.path / "daemon").stat()
    assert (made.st_uid, made.st_gid, made.st_mode & 0o7777) == (
        daemon.pw_uid,
        daemon.pw_gid,
        0o700,
    )
    assert people_in(homes) == ("daemon",)
