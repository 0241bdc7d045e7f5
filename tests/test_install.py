"""What install.sh refuses, and that a refusal leaves the clone as it was."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
TOOLS: Final = (
    *("bash", "sh", "env", "cat", "chmod", "rm", "mktemp"),
    *("df", "awk", "id", "dirname", "basename", "readlink"),
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with nothing in it but what install.sh looks at before it installs."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    for name in ("install.sh", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with the tools of a bare machine, and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    return folder


def fake_python(tools: Path, script: str) -> None:
    python = tools / "python3"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)


def refusal(clone: Path, *arguments: str, **environ: str) -> str:
    """Run install.sh from elsewhere, see that it refuses and changes nothing; return its words."""
    before = sorted(clone.iterdir())
    done = subprocess.run(
        [clone / "install.sh", *arguments],
        env={**os.environ, **environ},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stdout
    assert sorted(clone.iterdir()) == before
    return done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--hlep", "there is no option --hlep; ./install.sh --help shows all"),
        ("now", "there is no option now"),
        ("--role", "--role needs a value"),
        ("--role --user", "--role needs a value"),
        ("--role boss", "there is no role boss: solo, controller or agent"),
        ("--role controller --server a", "a machine that joins a team's pool: add --role agent"),
        ("--token T", "--token are for a machine that joins a team's pool: add --role agent"),
        ("--server=a --token T", "add --role agent"),
        ("--token-file f", "add --role agent"),
        ("--role controller --image-mirror a", "--image-mirror is for machines that run jobs"),
        ("--image-mirror", "--image-mirror needs a value"),
        ("--role=agent --port 1", "--port is for --role controller"),
        ("--uninstall", "there is no .venv in"),
        ("--offline /no/such.tar", "/no/such.tar can't be read: make bundle writes such a tar"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(clone: Path, words: str, sentence: str) -> None:
    assert sentence in refusal(clone, *words.split())


def test_help_tells_of_every_option_and_needs_nothing(clone: Path) -> None:
    run: list[str | Path] = [clone / "install.sh", "--help"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60)

    options = ("--role", "--server", "--token", "--token-file", "--port", "--user", "--offline")
    assert done.returncode == 0
    for option in (*options, "--image-mirror", "--dry-run", "--uninstall", "MINI_EAAS_TOKEN"):
        assert option in done.stdout


def test_a_path_too_long_for_a_socket_is_refused(clone: Path) -> None:
    assert "too long for a socket" in refusal(clone, MINI_EAAS_SOCKET="/tmp/" + "long/" * 21)


def test_a_machine_without_python_is_told_what_to_install(clone: Path, tools: Path) -> None:
    assert "apt install python3 python3-venv" in refusal(clone, PATH=str(tools))


def test_an_old_python_is_named(clone: Path, tools: Path) -> None:
    fake_python(tools, '[ "$1" = --version ] && echo Python 3.9.2 && exit 0; exit 1')

    assert "this machine has Python 3.9.2" in refusal(clone, PATH=str(tools))


def test_a_python_that_cannot_make_environments_names_the_package(clone: Path, tools: Path) -> None:
    fake_python(tools, 'case "$*" in *ensurepip*) exit 1 ;; esac')

    words = refusal(clone, PATH=str(tools))

    assert "python3 cannot make virtual environments" in words
    assert "apt install python3-venv" in words


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_somebody_else_is_refused(clone: Path) -> None:
    clone.chmod(0o555)

    assert "cannot be written" in refusal(clone)
