import os
import socket
from pathlib import Path

import pytest

from eaas_daemon.intake.folder import Folder, FolderUnusable, opened
from tests.daemon.intake.folders import SERVICE_UID, a_folder


def why_not(path: Path, service_uid: int = SERVICE_UID) -> str:
    with pytest.raises(FolderUnusable) as refused, opened(path, service_uid):
        pass
    return refused.value.sentence


def wrong_with(folder: Folder, name: str) -> str | None:
    assert folder.take([name]) == [name]
    return folder.read(name).wrong


def test_a_folder_gets_its_parts_with_modes_like_its_own(tmp_path: Path) -> None:
    path = a_folder(tmp_path, 0o1770)

    with opened(path, SERVICE_UID):
        modes = {each.name: each.stat().st_mode & 0o7777 for each in path.iterdir()}

    assert modes == {".taken": 0o700, "accepted": 0o750, "refused": 0o750}


def test_a_folder_that_is_not_there_or_not_the_services_or_not_safe_is_refused(
    tmp_path: Path,
) -> None:
    assert "is not there" in why_not(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    assert "is not a folder" in why_not(tmp_path / "file")
    path = a_folder(tmp_path)
    assert "must belong to the controller's user" in why_not(path, 4711)
    path.chmod(0o777)
    assert "chmod +t" in why_not(path)


def test_a_part_that_was_replaced_is_refused(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    (path / "accepted").symlink_to("/etc")
    assert "is in the way" in why_not(path)
    (path / "accepted").unlink()
    (path / "accepted").mkdir()
    (path / "accepted").chmod(0o777)
    assert "the controller's alone" in why_not(path)


def test_a_plain_file_is_taken_and_read_once(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    (path / "a.yaml").write_text("command: a\n")

    with opened(path, SERVICE_UID) as folder:
        assert folder.take(["gone.yaml", "a.yaml"]) == ["a.yaml"]
        file = folder.read("a.yaml")

    assert (file.data, file.wrong, file.uid) == (b"command: a\n", None, os.geteuid())
    assert not (path / "a.yaml").exists()


def test_what_is_no_plain_file_is_never_opened(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    (tmp_path / "secret").write_text("of others")
    (path / "link.yaml").symlink_to(tmp_path / "secret")
    os.link(tmp_path / "secret", path / "hard.yaml")
    os.mkfifo(path / "pipe.yaml")
    (path / "folder.yaml").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path / "socket.yaml"))

    with opened(path, SERVICE_UID) as folder:
        assert "a symbolic link" in (wrong_with(folder, "link.yaml") or "")
        assert "a hard link" in (wrong_with(folder, "hard.yaml") or "")
        assert "a named pipe" in (wrong_with(folder, "pipe.yaml") or "")
        assert "a folder" in (wrong_with(folder, "folder.yaml") or "")
        assert "a socket" in (wrong_with(folder, "socket.yaml") or "")


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    with (path / "big.yaml").open("wb") as big:
        big.truncate(50 << 20)

    with opened(path, SERVICE_UID) as folder:
        assert "256 KiB at most" in (wrong_with(folder, "big.yaml") or "")
