import errno
import os
from pathlib import Path

import pytest

from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.opening import opened
from tests.daemon.intake.folders import SERVICE_UID, a_folder, needs_root

SOMEBODY = 4711


def why_not(path: Path, service_uid: int = SERVICE_UID) -> str:
    with pytest.raises(FolderUnusable) as refused, opened(path, service_uid):
        pass
    return refused.value.sentence


def modes(path: Path) -> dict[str, int]:
    with opened(path, SERVICE_UID):
        return {each.name: each.stat().st_mode & 0o7777 for each in path.iterdir()}


def test_a_folder_gets_its_parts_with_modes_like_its_own(tmp_path: Path) -> None:
    for mode, below in ((0o1770, 0o750), (0o1777, 0o755), (0o700, 0o700), (0o1733, 0o700)):
        (tmp_path / f"{mode:o}").mkdir()
        path = a_folder(tmp_path / f"{mode:o}", mode)

        assert modes(path) == {".taken": 0o700, "accepted": below, "refused": below}


@needs_root
def test_its_parts_are_its_groups(tmp_path: Path) -> None:
    path = a_folder(tmp_path, 0o1770)
    os.chown(path, -1, SOMEBODY)

    with opened(path, SERVICE_UID):
        assert (path / "accepted").stat().st_gid == SOMEBODY


@needs_root
def test_a_group_that_the_folder_is_given_to_later_may_look_into_its_parts_too(
    tmp_path: Path,
) -> None:
    path = a_folder(tmp_path, 0o1700)
    modes(path)
    os.chown(path, -1, SOMEBODY)
    path.chmod(0o1770)

    assert modes(path) == {".taken": 0o700, "accepted": 0o750, "refused": 0o750}
    assert (path / "accepted").stat().st_gid == SOMEBODY


def test_a_folder_that_is_not_there_or_not_the_services_or_not_safe_is_refused(
    tmp_path: Path,
) -> None:
    assert "is not there" in why_not(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    assert "is not a folder" in why_not(tmp_path / "file")
    path = a_folder(tmp_path)
    assert "must belong to the controller's user" in why_not(path, SOMEBODY)
    for mode in (0o777, 0o770, 0o702):
        path.chmod(mode)
        assert "chmod +t" in why_not(path)


def test_a_part_that_was_replaced_is_refused_and_what_it_leads_to_is_left_alone(
    tmp_path: Path,
) -> None:
    path, other = a_folder(tmp_path), tmp_path / "other"
    other.mkdir()
    (path / "accepted").symlink_to(other)
    assert "is in the way" in why_not(path)
    (path / "accepted").unlink()
    (path / "accepted").touch()
    assert "is in the way" in why_not(path)
    (path / "accepted").unlink()
    (path / "accepted").mkdir()
    (path / "accepted").chmod(0o777)
    assert "the controller's alone" in why_not(path)
    assert list(other.iterdir()) == []


def test_a_part_of_a_watched_folder_is_none_itself(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    with opened(path, SERVICE_UID):
        pass

    assert "name another" in why_not(path / "accepted")


@needs_root
def test_a_way_that_somebody_else_could_turn_is_not_gone(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    os.lchown(link, SOMEBODY, SOMEBODY)

    assert "a link of somebody else" in why_not(link / path.name)
    os.lchown(link, 0, 0)
    assert modes(link / path.name)


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.ESTALE, errno.EIO])
def test_what_goes_wrong_with_every_file_makes_the_folder_unusable(
    tmp_path: Path, number: int
) -> None:
    path = a_folder(tmp_path)

    with pytest.raises(FolderUnusable, match=os.strerror(number)), opened(path, SERVICE_UID):
        raise OSError(number, os.strerror(number))


def test_what_goes_wrong_with_one_file_stays_with_it(tmp_path: Path) -> None:
    path = a_folder(tmp_path)

    with pytest.raises(FileNotFoundError), opened(path, SERVICE_UID):
        (path / "gone").unlink()


def test_nothing_stays_open(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    before = os.listdir("/proc/self/fd")
    with opened(path, SERVICE_UID):
        pass
    why_not(path, SOMEBODY)
    (path / "refused").rmdir()
    (path / "refused").touch()
    why_not(path)

    assert len(os.listdir("/proc/self/fd")) == len(before)
