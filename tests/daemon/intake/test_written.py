import os
from pathlib import Path

import pytest

from eaas_daemon.intake.written import Part, write_part
from tests.daemon.intake.folders import needs_root


@pytest.fixture
def folder(tmp_path: Path) -> int:
    return os.open(tmp_path, os.O_RDONLY)


def a_file(tmp_path: Path, mode: int) -> os.stat_result:
    path = tmp_path / "like"
    path.touch()
    path.chmod(mode)
    os.chown(path, 4711, 4712)
    return path.stat()


def test_it_is_seen_when_it_is_finished_and_not_before(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")
    part = Part(folder, "a", None)
    part.write(b"after")
    assert (tmp_path / "a").read_text() == "before"

    part.finish()

    assert (tmp_path / "a").read_text() == "after"
    assert os.listdir(tmp_path) == ["a"]


def test_nothing_is_left_of_what_was_abandoned(folder: int, tmp_path: Path) -> None:
    part = Part(folder, "a", None)
    part.write(b"half")

    part.abandon()

    assert os.listdir(tmp_path) == []


def test_a_rest_of_an_earlier_controller_is_no_hindrance(folder: int, tmp_path: Path) -> None:
    (tmp_path / ".a.part").symlink_to("/etc/passwd")

    write_part(folder, "a", "text", None)

    assert (tmp_path / "a").read_text() == "text"


@needs_root
@pytest.mark.parametrize(
    ("like", "given"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o777, 0o644)]
)
def test_those_may_read_it_who_may_read_the_other(
    folder: int, tmp_path: Path, like: int, given: int
) -> None:
    write_part(folder, "a", b"", a_file(tmp_path, like))

    found = (tmp_path / "a").stat()
    assert (found.st_mode & 0o7777, found.st_uid, found.st_gid) == (given, 4711, 4712)


def test_without_another_everybody_may(folder: int, tmp_path: Path) -> None:
    write_part(folder, "a", b"", None)

    assert (tmp_path / "a").stat().st_mode & 0o7777 == 0o644
