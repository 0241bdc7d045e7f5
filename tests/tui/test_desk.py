from pathlib import Path

import pytest

from eaas_tui.desk import NoEditor, edited


def an_editor(folder: Path, script: str) -> dict[str, str]:
    """An environment whose editor is this shell script; ``$1`` is the file."""
    program = folder / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"EDITOR": f"'{program}'"}


def test_the_text_comes_back_as_the_editor_saved_it(tmp_path: Path) -> None:
    environ = an_editor(tmp_path, 'echo "gpus: 2" >> "$1"')

    assert edited("name: a\n", environ) == "name: a\ngpus: 2\n"


def test_an_editor_that_gives_up_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoEditor, match="ended with code 3; nothing was taken over"):
        edited("name: a\n", an_editor(tmp_path, "exit 3"))


def test_an_editor_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEditor, match="the editor /nowhere/ed cannot be started"):
        edited("", {"VISUAL": "/nowhere/ed"})


@pytest.mark.parametrize(
    "script",
    ["printf '\\377\\376' > \"$1\"", 'rm "$1"', 'rm "$1"; mkdir "$1"'],
    ids=["no text", "no file", "a folder"],
)
def test_whatever_an_editor_leaves_behind_is_said(tmp_path: Path, script: str) -> None:
    with pytest.raises(NoEditor):
        edited("name: one\n", an_editor(tmp_path, script))
