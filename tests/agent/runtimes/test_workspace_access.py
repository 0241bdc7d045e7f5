import os
from pathlib import Path

import pytest

from eaas_agent.runtimes.workspace_access import parse_user, prepare_workspace

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def filled(workspace: Path) -> Path:
    (workspace / "sub").mkdir(mode=0o755)
    (workspace / "sub" / "tool.sh").touch(mode=0o755)
    (workspace / "sub" / "data").touch(mode=0o644)
    (workspace / "link").symlink_to("/etc/hostname")
    return workspace


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_user_is_two_numbers_or_a_name_that_only_the_image_knows() -> None:
    assert [parse_user(text) for text in ("", "0", "5:6", "app", "app:7", "5:staff")] == [
        (0, None),
        (0, None),
        (5, 6),
        (None, None),
        (None, 7),
        (5, None),
    ]


@needs_root
def test_a_known_user_owns_all_that_lies_in_it(workspace: Path) -> None:
    target_before = os.stat("/etc/hostname")

    prepare_workspace(filled(workspace), 1234, 99)

    owners = {
        (os.lstat(path).st_uid, os.lstat(path).st_gid)
        for path in (workspace, *workspace.rglob("*"))
    }
    assert owners == {(1234, 99)}
    assert os.stat("/etc/hostname") == target_before


def test_an_unknown_user_may_write_all_that_lies_in_it(workspace: Path) -> None:
    prepare_workspace(filled(workspace), None, None)

    assert mode(workspace) == mode(workspace / "sub") == 0o777
    assert mode(workspace / "sub" / "tool.sh") == 0o777
    assert mode(workspace / "sub" / "data") == 0o666


def test_a_folder_that_is_right_already_is_not_walked(workspace: Path) -> None:
    filled(workspace)

    prepare_workspace(workspace, os.geteuid(), None)

    assert mode(workspace / "sub" / "data") == 0o644
