import os
from pathlib import Path

import pytest

from eaas_agent.accounts import name_of
from eaas_agent.safe_folder import Unfit, opened
from tests.rig.disks import a_disk

MINE = frozenset({0, os.geteuid()})
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def wrong_with(path: Path, owners: frozenset[int] = MINE) -> str:
    with pytest.raises(Unfit) as caught, opened(path, owners):
        pass
    return caught.value.sentence


@pytest.fixture
def way(tmp_path: Path) -> Path:
    """A way of two folders, and the folder itself."""
    folder = tmp_path / "srv" / "team" / "data"
    folder.mkdir(parents=True)
    return folder


def test_a_folder_of_ones_own_is_opened_and_descriptors_do_not_stay(way: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))

    with opened(way, MINE) as folder:
        assert (folder.path, folder.is_mounted) == (way, False)
        assert os.fstat(folder.fd).st_ino == way.stat().st_ino
    wrong_with(way / "nothing")

    assert len(os.listdir("/proc/self/fd")) == before


def test_the_folder_itself_may_be_open_to_all(way: Path) -> None:
    way.chmod(0o777)

    with opened(way, MINE):
        pass


@pytest.mark.parametrize("part", ["srv", "srv/team", "srv/team/data"])
def test_a_link_anywhere_on_the_way_is_refused(way: Path, tmp_path: Path, part: str) -> None:
    link = tmp_path / part
    link.rename(tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")

    assert wrong_with(way) == f"{link} is a link: name the folder that it leads to"


@pytest.mark.parametrize("part", ["srv", "srv/team"])
@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_way_on_which_others_may_write_is_refused(
    way: Path, tmp_path: Path, part: str, mode: int
) -> None:
    (tmp_path / part).chmod(mode)

    assert wrong_with(way) == (
        f"others than its owner may write in {tmp_path / part}: chmod go-w {tmp_path / part}"
    )


def test_a_sticky_folder_is_a_way_but_no_place_for_folders_of_users(way: Path) -> None:
    way.parent.chmod(0o1777)

    with opened(way, MINE) as folder:
        folder.keep_still()
    with opened(way.parent, MINE) as folder, pytest.raises(Unfit, match="others than its owner"):
        folder.keep_still()


@needs_root
@pytest.mark.parametrize("part", ["srv/team", "srv/team/data"])
def test_whoever_else_owns_a_part_could_swap_it(way: Path, tmp_path: Path, part: str) -> None:
    os.chown(tmp_path / part, 4711, 4711)

    assert wrong_with(way) == f"{tmp_path / part} belongs to {name_of(4711)}: it must be root's"
    with opened(way, frozenset({0, 4711})):
        pass


def test_what_is_not_there_or_no_folder_is_said(way: Path) -> None:
    (way / "file").touch()

    assert wrong_with(way / "file") == f"{way}/file is not a folder"
    assert wrong_with(way / "nothing") == f"{way}/nothing is not there"


@needs_root
def test_only_what_is_mounted_exactly_there_counts_as_mounted(way: Path) -> None:
    with a_disk(way):
        (way / "below").mkdir()
        with opened(way, MINE) as folder:
            assert folder.is_mounted
        with opened(way / "below", MINE) as folder:
            assert not folder.is_mounted
    with opened(way, MINE) as folder:
        assert not folder.is_mounted
