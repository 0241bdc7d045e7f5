import os
import sys
from pathlib import Path

from eaas_agent.remove_tree import remove_tree


def nest(path: Path, depth: int) -> None:
    path.mkdir()
    at = os.open(path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def test_a_folder_nested_deeper_than_the_stack_is_deleted(tmp_path: Path) -> None:
    nest(tmp_path / "bomb", 3 * sys.getrecursionlimit())

    remove_tree(tmp_path / "bomb")

    assert os.listdir(tmp_path) == []


def test_files_and_closed_folders_go_and_what_links_point_at_stays(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "inner").mkdir(parents=True)
    (other / "kept").write_bytes(b"kept")
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "file").write_bytes(b"x")
    (tree / "a" / "out").symlink_to(other)
    (tree / "up").symlink_to("..")
    os.mkfifo(tree / "a" / "b" / "pipe")
    (tree / "a" / "b").chmod(0)
    (tree / "a").chmod(0)

    remove_tree(tree)

    assert os.listdir(tmp_path) == ["other"]
    assert sorted(os.listdir(other)) == ["inner", "kept"]


def test_what_is_not_there_or_is_no_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    remove_tree(tmp_path / "none")
    remove_tree(tmp_path / "link")

    assert os.listdir(tmp_path) == ["link"]
