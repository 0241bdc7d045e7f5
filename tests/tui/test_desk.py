"""The form's editor in a real terminal, and what becomes of both when one of them is ended."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.rig.recordings import FOLDER
from tests.rig.terminal import RealTerminal


@contextmanager
def editing(folder: Path, first: str = ":") -> Iterator[tuple[RealTerminal, int]]:
    """A console whose form is in an editor that takes its time, and the editor's process."""
    program, pid = folder / "editor", folder / "pid"
    os.mkfifo(pid)
    program.write_text(f"#!/bin/sh\n{first}\necho it edits\necho $$ > {pid}\nexec sleep 60\n")
    program.chmod(0o755)
    with RealTerminal.console(
        "--replay", str(FOLDER / "empty.jsonl"), environ=an_environ(folder, program), width=300
    ) as terminal:
        terminal.await_text("Mini EaaS")
        terminal.press("n")
        terminal.await_text("YAML")
        terminal.press("\x05")
        terminal.await_text("it edits")
        yield terminal, int(pid.read_text())


def an_environ(folder: Path, editor: Path) -> Mapping[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINI_EAAS_")}
    kept.pop("VISUAL", None)
    (folder / "tmp").mkdir()
    own = {"MINI_EAAS_HOME": str(folder), "EDITOR": str(editor), "TMPDIR": str(folder / "tmp")}
    return {**kept, **own}


@pytest.mark.parametrize("first", [":", "trap '' TERM"], ids=["obeys", "does not obey"])
def test_an_end_of_the_console_ends_the_editor_and_leaves_no_folder(
    tmp_path: Path, first: str
) -> None:
    with editing(tmp_path, first) as (terminal, editor):
        terminal.send_signal(signal.SIGTERM)

        assert terminal.await_end() == 128 + signal.SIGTERM
        assert terminal.is_sane
        assert not is_running(editor)
        assert list((tmp_path / "tmp").iterdir()) == []


def test_ctrl_c_ends_the_editor_and_not_the_console(tmp_path: Path) -> None:
    with editing(tmp_path) as (terminal, editor):
        terminal.press("ctrl+c")
        terminal.await_text("ended by SIGINT; nothing was taken over")

        assert not is_running(editor)
        terminal.press("escape")
        terminal.await_no_text("YAML")
        terminal.press("q")
        assert terminal.await_end() == 0


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
