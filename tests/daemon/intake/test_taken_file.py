import os
import socket
import stat
from pathlib import Path

from eaas_daemon.intake.taken_file import TORN, TakenFile, read_taken, stamp_of
from tests.daemon.intake.folders import needs_root


def read(folder: Path, name: str) -> TakenFile:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        file = read_taken(descriptor, name)
    finally:
        os.close(descriptor)
    assert file is not None
    return file


def wrong_with(folder: Path, name: str) -> str:
    return read(folder, name).wrong or ""


def test_a_plain_file_is_read_with_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("command: a\n")

    file = read(tmp_path, "a.yaml")

    assert (file.data, file.wrong, file.uid) == (b"command: a\n", None, os.geteuid())
    assert file.stamp == stamp_of(path.stat()) != TORN


def test_a_file_that_is_gone_is_none(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        assert read_taken(descriptor, "a.yaml") is None
    finally:
        os.close(descriptor)


def test_what_is_no_plain_file_of_one_name_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of others")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "secret")
    os.link(tmp_path / "secret", tmp_path / "hard.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket.yaml"))

    assert "a symbolic link" in wrong_with(tmp_path, "link.yaml")
    assert "a hard link" in wrong_with(tmp_path, "hard.yaml")
    assert "a named pipe" in wrong_with(tmp_path, "pipe.yaml")
    assert "a folder" in wrong_with(tmp_path, "folder.yaml")
    assert "a socket" in wrong_with(tmp_path, "socket.yaml")


@needs_root
def test_a_device_is_never_opened(tmp_path: Path) -> None:
    os.mknod(tmp_path / "device.yaml", 0o600 | stat.S_IFCHR, os.makedev(1, 3))

    assert "a device" in wrong_with(tmp_path, "device.yaml")


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "big.yaml").open("wb") as big:
        big.truncate(50 << 20)

    file = read(tmp_path, "big.yaml")

    assert file.data == b""
    assert "51200 KiB; a job file is 256 KiB at most" in (file.wrong or "")


def test_a_name_that_can_not_be_shown_or_kept_is_wrong(tmp_path: Path) -> None:
    for name in (b"\xff.yaml", b"a\x1b[31m.yaml", b"a\nb.yaml", b"x" * 250 + b".yaml"):
        (tmp_path / os.fsdecode(name)).touch()
        assert "its name has" in wrong_with(tmp_path, os.fsdecode(name))
    for good in ("with blanks.yaml", "训练 100%.yaml", "x" * 195 + ".yaml"):
        (tmp_path / good).touch()
        assert wrong_with(tmp_path, good) == ""
