import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from eaas.packs import packed
from eaas.unpack import UnsafeTar, unpack


def a_tar(*members: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return io.BytesIO(buffer.getvalue())


def a_file(name: str, content: bytes = b"x", mode: int = 0o644) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.mode = mode
    return info, content


def a_link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def test_a_packed_folder_comes_out_as_it_went_in(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "lib").mkdir(parents=True)
    (source / "lib" / "run.sh").write_text("echo")
    (source / "lib" / "run.sh").chmod(0o755)
    (source / "link").symlink_to("lib/run.sh")
    (source / "empty").mkdir()
    dest = tmp_path / "dest"
    with packed(source) as pack, pack.path.open("rb") as file:
        left_out = unpack(file, dest)

    assert left_out == []
    assert sorted(path.relative_to(dest).as_posix() for path in dest.rglob("*")) == [
        "empty",
        "lib",
        "lib/run.sh",
        "link",
    ]
    assert os.readlink(dest / "link") == "lib/run.sh"
    assert stat.S_IMODE((dest / "lib/run.sh").stat().st_mode) == 0o755


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x"])
def test_a_name_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsafeTar, match="outside its folder"):
        unpack(a_tar(a_file(name)), tmp_path / "d")

    assert not (tmp_path / "x").exists()


def test_a_link_that_leads_out_a_hard_link_and_a_pipe_are_left_out(tmp_path: Path) -> None:
    left_out = unpack(
        a_tar(
            a_link("out", "../secret"),
            a_link("abs", "/etc/passwd"),
            a_link("hard", "/etc/passwd", tarfile.LNKTYPE),
            a_link("pipe", "", tarfile.FIFOTYPE),
            a_file("fine"),
        ),
        tmp_path,
    )

    assert left_out == [Path("out"), Path("abs"), Path("hard"), Path("pipe")]
    assert [path.name for path in tmp_path.iterdir()] == ["fine"]


def test_nothing_is_written_through_a_link_that_was_there_before(tmp_path: Path) -> None:
    outside, dest = tmp_path / "outside", tmp_path / "dest"
    outside.mkdir()
    (outside / "file").write_text("mine")
    dest.mkdir()
    (dest / "folder").symlink_to(outside)
    (dest / "file").symlink_to(outside / "file")

    unpack(a_tar(a_file("file", b"new")), dest)
    with pytest.raises(UnsafeTar, match="behind a link"):
        unpack(a_tar(a_file("folder/file", b"new")), dest)

    assert (outside / "file").read_text() == "mine"
    assert (dest / "file").read_text() == "new"


def test_links_that_only_together_lead_out_do_not(tmp_path: Path) -> None:
    dest = tmp_path / "dest"
    folders = tarfile.TarInfo("a/b")
    folders.type = tarfile.DIRTYPE
    left_out = unpack(
        a_tar((folders, b""), a_link("a/b/top", "../.."), a_link("x", "a/b/top/../secret")), dest
    )

    assert left_out == [Path("x")]


def test_the_first_part_is_renamed_and_set_id_bits_do_not_travel(tmp_path: Path) -> None:
    unpack(a_tar(a_file("./out/a", b"1", 0o6755)), tmp_path, rename="results")

    assert stat.S_IMODE((tmp_path / "results/a").stat().st_mode) == 0o755


def test_a_lone_file_comes_under_its_new_name(tmp_path: Path) -> None:
    unpack(a_tar(a_file("model.bin", b"m")), tmp_path, rename="best.bin")

    assert (tmp_path / "best.bin").read_bytes() == b"m"


def test_a_file_never_replaces_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    for member in (a_file("a"), a_link("a", "b")):
        with pytest.raises(UnsafeTar, match="where a folder stands"):
            unpack(a_tar(member), tmp_path)


def test_a_tar_that_is_none_or_cut_short_is_refused(tmp_path: Path) -> None:
    whole = a_tar(a_file("a", b"x" * 5000)).getvalue()

    for content in (b"hello" * 200, whole[:3000]):
        with pytest.raises(UnsafeTar, match="can't be read"):
            unpack(io.BytesIO(content), tmp_path)
