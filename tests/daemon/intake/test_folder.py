import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eaas_daemon.intake.folder import Folder
from eaas_daemon.intake.names import is_meant
from eaas_daemon.intake.opening import opened
from tests.daemon.intake.folders import SERVICE_UID, a_folder, needs_root


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return a_folder(tmp_path)


@contextmanager
def with_taken(path: Path, *names: str) -> Iterator[Folder]:
    """Open the folder with these files in it, taken."""
    for name in names:
        (path / name).write_text(f"{name}\n")
    with opened(path, SERVICE_UID) as folder:
        assert folder.take(names) == (list(names), {})
        yield folder


def lying(path: Path, part: str) -> dict[str, str]:
    return {each.name: each.read_text() for each in (path / part).iterdir()}


def test_only_what_is_meant_for_it_is_seen(path: Path) -> None:
    for name in ("a.yaml", ".a.yaml.swp", "a.yaml~", "README", "7.cancel"):
        (path / name).touch()

    with opened(path, SERVICE_UID) as folder:
        found = filter(is_meant, folder.names())
        seen = folder.sighted([*found, "gone.yaml"])
        assert {file.name for file in seen} == {"a.yaml", "7.cancel"}


def test_what_is_gone_before_it_is_taken_is_left_out(path: Path) -> None:
    with with_taken(path, "a.yaml") as folder:
        assert folder.take(["gone.yaml"]) == ([], {})
        assert folder.taken() == ["a.yaml"]
        assert [file.data for file in folder.read(["gone.yaml", "a.yaml"])] == [b"a.yaml\n"]


def test_an_accepted_file_has_its_status_beside_it(path: Path) -> None:
    with with_taken(path, "a.yaml") as folder:
        folder.accept("a.yaml", "7-a.yaml", "final: false\n")
        folder.write_beside("7-a.yaml", ".status.yaml", "final: true\n")
        assert folder.read_beside("7-a.yaml", ".status.yaml", 5) == b"final"
        assert folder.read_beside("8-a.yaml", ".status.yaml") == b""
        assert (folder.has_accepted("7-a.yaml"), folder.has_accepted("a.yaml")) == (True, False)
        assert folder.taken() == []

    assert lying(path, "accepted") == {
        "7-a.yaml": "a.yaml\n",
        "7-a.yaml.status.yaml": "final: true\n",
    }


def test_a_file_that_is_gone_gets_nothing_beside_it(path: Path) -> None:
    with opened(path, SERVICE_UID) as folder, pytest.raises(FileNotFoundError):
        folder.write_beside("7-a.yaml", ".status.yaml", "final: true\n")


def test_a_refused_file_stays_with_its_mistakes(path: Path) -> None:
    with with_taken(path, "a.yaml") as folder:
        folder.refuse("a.yaml", "why", secret=True)

    assert lying(path, "refused") == {"a.yaml": "a.yaml\n", "a.yaml.error.txt": "why"}


def test_those_may_read_the_mistakes_who_may_read_the_file_if_they_tell_of_its_content(
    path: Path,
) -> None:
    for name in ("secret.yaml", "open.yaml"):
        (path / name).touch(0o600)
    with opened(path, SERVICE_UID) as folder:
        folder.take(["secret.yaml", "open.yaml"])
        folder.refuse("secret.yaml", "why", secret=True)
        folder.refuse("open.yaml", "why", secret=False)

    modes = [
        (path / "refused" / f"{name}.yaml.error.txt").stat().st_mode & 0o777
        for name in ("secret", "open")
    ]
    assert modes == [0o600, 0o644]


@needs_root
def test_nobodys_refused_file_puts_away_anothers(path: Path) -> None:
    with with_taken(path, "a.yaml") as folder:
        folder.refuse("a.yaml", "why", secret=True)
    (path / "a.yaml").write_text("of another\n")
    os.chown(path / "a.yaml", 4711, -1)
    with opened(path, SERVICE_UID) as folder:
        folder.take(["a.yaml"])
        folder.refuse("a.yaml", "why not", secret=True)

    assert lying(path, "refused") == {
        "a.yaml": "a.yaml\n",
        "a.yaml.error.txt": "why",
        "4711-a.yaml": "of another\n",
        "4711-a.yaml.error.txt": "why not",
    }


def test_a_folder_in_the_way_of_a_refused_file_stays(path: Path) -> None:
    for content in ("in it", None):
        if content:
            (path / "a.yaml").mkdir()
            (path / "a.yaml" / "file").write_text(content)
        else:
            (path / "a.yaml").touch()
        with opened(path, SERVICE_UID) as folder:
            folder.take(["a.yaml"])
            folder.refuse("a.yaml", "why", secret=False)

    assert (path / "refused" / "a.yaml" / "file").read_text() == "in it"
    assert len(list((path / "refused").iterdir())) == 3


def test_a_name_that_is_too_long_or_can_not_be_shown_is_shortened_and_mended(path: Path) -> None:
    names = ["x" * 250 + ".yaml", "a\x1b[31m\n.yaml", os.fsdecode(b"\xff.yaml")]
    for name in names:
        (path / name).touch()
    with opened(path, SERVICE_UID) as folder:
        folder.take(names)
        for name in names:
            folder.refuse(name, "why", secret=False)

    refused = [os.fsencode(each.name) for each in (path / "refused").iterdir()]
    assert len(refused) == 6
    assert all(name.decode().isprintable() for name in refused)


def test_what_was_over_long_ago_is_deleted_with_all_that_stands_beside_it(path: Path) -> None:
    with with_taken(path, "old.yaml", "going.yaml", "new.yaml", "bad.yaml") as folder:
        folder.accept("old.yaml", "1-old.yaml", "final: true\njob: 1\n")
        folder.accept("going.yaml", "2-going.yaml", "final: false\njob: 2\n")
        folder.refuse("bad.yaml", "why", secret=True)
        for ending in (".log", ".12.log", ".again.txt"):
            folder.write_beside("1-old.yaml", ending, "")
        for file in path.glob("*/*"):
            os.utime(file, (1000, 1000))
        folder.accept("new.yaml", "3-new.yaml", "final: true\njob: 3\n")

        assert folder.forget_old(2000) == 2
        assert folder.forget_old(2000) == 0

    assert lying(path, "refused") == {}
    assert lying(path, "accepted").keys() == {
        f"{name}{ending}"
        for name in ("2-going.yaml", "3-new.yaml")
        for ending in ("", ".status.yaml")
    }
