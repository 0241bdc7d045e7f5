import signal
from pathlib import Path

import pytest

from eaas_tui.editor import Editor, NoEditor


def an_editor(folder: Path, script: str) -> dict[str, str]:
    """An environment whose editor is this shell script; ``$1`` is the file."""
    program = folder / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"EDITOR": f"'{program}'"}


def test_the_text_comes_back_as_the_editor_saved_it(tmp_path: Path) -> None:
    environ = an_editor(tmp_path, 'echo "gpus: 2" >> "$1"')

    assert Editor(environ).edited("name: a\n") == "name: a\ngpus: 2\n"


def test_an_editor_that_gives_up_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoEditor, match="ended with code 3; nothing was taken over"):
        Editor(an_editor(tmp_path, "exit 3")).edited("name: a\n")


def test_an_editor_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEditor, match="the editor /nowhere/ed cannot be started"):
        Editor({"VISUAL": "/nowhere/ed"}).edited("")


@pytest.mark.parametrize(
    "script",
    ["printf '\\377\\376' > \"$1\"", 'rm "$1"', 'rm "$1"; mkdir "$1"'],
    ids=["no text", "no file", "a folder"],
)
def test_whatever_an_editor_leaves_behind_is_said(tmp_path: Path, script: str) -> None:
    with pytest.raises(NoEditor):
        Editor(an_editor(tmp_path, script)).edited("name: one\n")


def test_an_editor_that_is_ended_before_it_has_begun_does_not_stay(tmp_path: Path) -> None:
    editor = Editor(an_editor(tmp_path, "exec sleep 60"))
    editor.end()

    with pytest.raises(NoEditor, match="ended by SIGTERM; nothing was taken over"):
        editor.edited("name: a\n")


def test_the_terminals_keys_are_the_editors_while_it_runs_and_this_programs_again_then(
    tmp_path: Path,
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGQUIT)
    ends_both = an_editor(tmp_path, "kill -QUIT $PPID; kill -INT $PPID; kill -INT $$")

    with pytest.raises(NoEditor, match="ended by SIGINT"):
        Editor(ends_both).edited("name: a\n")

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGQUIT)) == before
