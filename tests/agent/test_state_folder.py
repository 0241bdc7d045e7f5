import os
from pathlib import Path

import pytest

from eaas_agent.state_folder import NoState, StateInUse, held_state_folder


def test_a_second_agent_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    with (
        held_state_folder(tmp_path / "s"),
        pytest.raises(StateInUse, match=rf"process {os.getpid()}\).*--state-dir"),
        held_state_folder(tmp_path / "s"),
    ):
        pass


def test_a_folder_that_was_let_go_can_be_held_again(tmp_path: Path) -> None:
    with held_state_folder(tmp_path / "s"):
        pass
    with held_state_folder(tmp_path / "s") as path:
        assert path.stat().st_mode & 0o777 == 0o711


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with (
        pytest.raises(NoState, match="can't hold an agent's state"),
        held_state_folder(tmp_path / "file" / "s"),
    ):
        pass


def test_others_may_walk_through_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with held_state_folder(tmp_path / "agents" / "s") as path:
            modes = [folder.stat().st_mode & 0o777 for folder in (path, path.parent)]
    finally:
        os.umask(before)

    assert modes == [0o711, 0o711]
