from pathlib import Path

import pytest

from eaas.private_file import NotPrivate, read_private, write_private


def test_only_its_owner_reads_it_whatever_the_umask_and_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("old")
    path.chmod(0o644)

    write_private(path, b"new")

    assert read_private(path) == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_crash_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "key.part").write_text("half")

    write_private(tmp_path / "key", b"whole")

    assert read_private(tmp_path / "key") == b"whole"


def test_what_is_being_read_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private(path, b"old")

    with path.open("rb") as reader:
        write_private(path, b"new")

        assert reader.read() == b"old"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_what_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    write_private(path, b"secret")
    path.chmod(mode)

    with pytest.raises(NotPrivate, match="chmod 600"):
        read_private(path)
