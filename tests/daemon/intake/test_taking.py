import os
from pathlib import Path

import pytest

from eaas_daemon.intake.failures import FolderUnusable
from eaas_daemon.intake.folder import Folder
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.stillness import GIVE_UP_S, STILL_S
from eaas_daemon.intake.taking import BYTES_A_PASS, FILES_A_PASS, Taken, Taker
from tests.daemon.intake.folders import SERVICE_UID, a_folder, needs_root


class Post:
    """A taker on a folder, with a clock of its own."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, 0.0
        self.taker = Taker(FolderSettings(path=path), SERVICE_UID, lambda folder, now: None)

    def drop(self, *names: str, size: int = 9) -> None:
        for name in names:
            (self.path / name).write_bytes(b"#" * size)

    def take(self, after_s: float = 0.0, *renamed: str) -> Taken:
        self.now += after_s
        return self.taker.take(self.now, renamed, "2026-12-01T00:00:00Z")

    def names(self, after_s: float = 0.0, *renamed: str) -> list[str]:
        return [file.name for file in self.take(after_s, *renamed).files]


@pytest.fixture
def post(tmp_path: Path) -> Post:
    return Post(a_folder(tmp_path))


def test_orders_come_at_once_and_first(post: Post) -> None:
    post.drop("a.yaml", "7.cancel")
    assert post.names() == ["7.cancel"]

    post.drop("8.cancel")
    assert post.names(STILL_S) == ["7.cancel", "8.cancel", "a.yaml"]


def test_what_was_not_answered_is_there_again_and_nothing_is_taken_over_it(post: Post) -> None:
    post.drop("a.yaml")
    post.take()
    assert post.names(STILL_S) == ["a.yaml"]
    post.drop("a.yaml", size=99)

    (again,) = post.take(STILL_S).files

    assert len(again.data) == 9
    assert (post.path / "a.yaml").exists()


def test_a_pass_has_its_bounds_and_says_that_there_is_more(post: Post) -> None:
    post.drop(*(f"{n}.yaml" for n in range(FILES_A_PASS + 1)))
    post.take()
    taken = post.take(STILL_S)

    assert len(taken.files) == FILES_A_PASS
    assert taken.more
    assert len(list(post.path.glob("*.yaml"))) == 1


def test_large_files_are_fewer_in_a_pass(post: Post) -> None:
    each = 200 * 1024
    post.drop(*(f"{n}.yaml" for n in range(30)), size=each)
    post.take()
    taken = post.take(STILL_S)

    assert len(taken.files) == BYTES_A_PASS // each
    assert taken.more


def test_a_file_that_came_by_rename_is_not_final_before_it_stood_still(post: Post) -> None:
    post.drop("a.yaml")

    (early,) = post.take(0.0, "a.yaml").files
    (late,) = post.take(STILL_S).files

    assert (early.final, late.final) == (False, True)


def test_a_file_whose_writer_goes_on_after_it_was_taken_waits_for_the_writer(post: Post) -> None:
    with (post.path / "a.yaml").open("wb", buffering=0) as writer:
        writer.write(b"command: a\n")
        post.take()
        assert post.names(STILL_S) == ["a.yaml"]
        writer.write(b"gpus: 1\n")
        assert post.names(1.0) == []

    (whole,) = post.take(STILL_S).files
    assert whole.data == b"command: a\ngpus: 1\n"


def test_a_file_that_is_written_to_for_ever_is_told_so(post: Post) -> None:
    with (post.path / "a.yaml").open("wb", buffering=0) as writer:
        writer.write(b"#")
        post.take()
        post.take(STILL_S)
        for _ in range(int(GIVE_UP_S) - 1):
            writer.write(b"#")
            assert post.names(1.0) == []
        writer.write(b"#")
        (file,) = post.take(1.0).files

    assert "somebody goes on writing" in (file.wrong or "")


def test_it_knows_when_the_next_file_may_be_whole(post: Post) -> None:
    assert post.take().look_again_in is None
    post.drop("a.yaml")
    assert post.take().look_again_in == STILL_S
    assert post.take(0.5).look_again_in == STILL_S - 0.5
    assert post.take(STILL_S).look_again_in is None


@needs_root
def test_every_owner_is_named(post: Post) -> None:
    post.drop("a.yaml", "b.yaml")
    os.chown(post.path / "b.yaml", 1, -1)
    post.take()

    taken = post.take(STILL_S)

    assert taken.callers.keys() == {0, 1}


def test_a_folder_that_another_watches_is_left_to_it(tmp_path: Path) -> None:
    path = a_folder(tmp_path)
    (path / "7.cancel").touch()

    def taken_already(folder: Folder, now: float) -> None:
        raise FolderUnusable("another has it")

    taker = Taker(FolderSettings(path=path), SERVICE_UID, taken_already)

    with pytest.raises(FolderUnusable, match="another has it"):
        taker.take(0.0, (), "")
    assert (path / "7.cancel").exists()
