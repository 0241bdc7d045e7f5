import io
import os
import tarfile
from pathlib import Path

import pytest

from eaas_agent.safe_tar import (
    MAX_DEPTH,
    LeavesWorkspace,
    NoSuchFile,
    TooDeep,
    pick,
    write_tar,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"of somebody else")
    root = tmp_path / "workspace"
    (root / "out" / "deep").mkdir(parents=True)
    (root / "out" / "a.txt").write_bytes(b"a")
    (root / "out" / "deep" / "b.bin").write_bytes(bytes(range(256)))
    return root


def tar_of(workspace: Path, path: str) -> dict[str, bytes | str | None]:
    """Return what the tar holds: content, a link's target, None for a folder."""
    out = io.BytesIO()
    with pick(workspace, path) as picked:
        write_tar(picked, out)
    out.seek(0)
    with tarfile.open(fileobj=out) as tar:
        return {
            member.name: member.linkname
            if member.issym()
            else (file.read() if (file := tar.extractfile(member)) else None)
            for member in tar
        }


def test_a_folder_comes_with_all_it_holds(workspace: Path) -> None:
    assert tar_of(workspace, "out") == {
        "out": None,
        "out/a.txt": b"a",
        "out/deep": None,
        "out/deep/b.bin": bytes(range(256)),
    }


def test_a_file_comes_under_its_own_name(workspace: Path) -> None:
    assert tar_of(workspace, "/workspace/out/a.txt") == {"a.txt": b"a"}


def test_the_whole_workspace_comes_without_a_name_above_it(workspace: Path) -> None:
    assert set(tar_of(workspace, ".")) == {"out", "out/a.txt", "out/deep", "out/deep/b.bin"}


def test_a_link_inside_is_followed_and_keeps_its_name(workspace: Path) -> None:
    (workspace / "latest").symlink_to("out/a.txt")
    (workspace / "spelled").symlink_to("/workspace/out/a.txt")

    assert tar_of(workspace, "latest") == {"latest": b"a"}
    assert tar_of(workspace, "spelled") == {"spelled": b"a"}


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "out/../../secret"])
def test_a_link_that_leads_out_is_not_followed(workspace: Path, target: str) -> None:
    (workspace / "link").symlink_to(target)
    (workspace / "folder").symlink_to("..")

    with pytest.raises(LeavesWorkspace):
        pick(workspace, "link")
    with pytest.raises(LeavesWorkspace):
        pick(workspace, "folder/secret")


def test_a_link_in_a_folder_travels_as_a_link(workspace: Path) -> None:
    (workspace / "out" / "link").symlink_to("../../secret")

    assert tar_of(workspace, "out")["out/link"] == "../../secret"


@pytest.mark.parametrize("path", ["..", "out/../..", "../secret"])
def test_a_path_that_leads_out_is_refused(workspace: Path, path: str) -> None:
    with pytest.raises(LeavesWorkspace):
        pick(workspace, path)


def test_links_in_a_circle_end(workspace: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")

    with pytest.raises(LeavesWorkspace):
        pick(workspace, "a")


def test_what_is_not_there_is_said_so(workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="there is no out/none"):
        pick(workspace, "out/none/x")
    with pytest.raises(NoSuchFile, match="not on this node any more"):
        pick(tmp_path / "gone", ".")
    with pytest.raises(NoSuchFile, match="can't be read"):
        pick(workspace, "out/a.txt/x")


def test_a_missing_file_at_the_end_of_the_path_is_said_so(workspace: Path) -> None:
    with pytest.raises(NoSuchFile, match="there is no none"):
        pick(workspace, "none")


def test_pipes_and_sockets_are_left_out_and_do_not_hang(workspace: Path) -> None:
    os.mkfifo(workspace / "out" / "pipe")

    assert "out/pipe" not in tar_of(workspace, "out")


def test_a_picked_file_swapped_for_a_link_is_not_followed(workspace: Path) -> None:
    with pick(workspace, "out/deep") as picked:
        (workspace / "out" / "deep" / "b.bin").unlink()
        (workspace / "out" / "deep").rmdir()
        (workspace / "out" / "deep").symlink_to("/etc")
        out = io.BytesIO()
        write_tar(picked, out)

    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as tar:
        assert [member.issym() for member in tar] == [True]


@pytest.mark.parametrize("path", [".", "d", "d/" * 1500])
def test_folders_nested_without_end_are_refused_in_no_time(workspace: Path, path: str) -> None:
    at = workspace
    for _ in range(MAX_DEPTH + 1):
        at /= "d"
    at.mkdir(parents=True)

    with pytest.raises(TooDeep, match=r"^d/d/.* goes through more than 100 folders"):
        tar_of(workspace, path)


def test_what_is_neither_file_nor_folder_is_refused_by_name(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")

    with pytest.raises(NoSuchFile, match="pipe is neither a file nor a folder"):
        tar_of(workspace, "pipe")
    assert "pipe" not in tar_of(workspace, ".")
