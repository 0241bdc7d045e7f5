import os
import subprocess
import sys
from pathlib import Path

import pytest

from eaas.cli.programs import is_here
from tests.eaas.cli.conftest import Type

PROGRAM = str(Path(sys.executable).with_name("mini-eaas"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_completes_both_names(typing: Type, shell: str) -> None:
    said = typing("completion", shell)

    assert said.code == 0
    assert "_MINI_EAAS_COMPLETE" in said.out
    assert "_EAAS_COMPLETE" in said.out


@pytest.mark.parametrize(
    ("words", "name"), [("controller", "eaas-daemon"), ("agent", "eaas-agent")]
)
def test_run_hands_everything_over_to_the_program(words: str, name: str) -> None:
    line = [PROGRAM, words, "run", "--help"]
    run = subprocess.run(line, capture_output=True, text=True, check=True)

    assert f"usage: {name} run" in run.stdout


def test_the_programs_exit_code_is_the_commands() -> None:
    line = [PROGRAM, "controller", "run", "--port", "many"]

    assert subprocess.run(line, capture_output=True, env=os.environ).returncode == 2


def test_a_program_that_is_missing_is_not_here() -> None:
    assert is_here("eaas_daemon")
    assert not is_here("eaas_no_such_program")


@pytest.mark.skipif(is_here("eaas_tui"), reason="the console is in this version")
def test_a_version_without_the_console_says_so(typing: Type) -> None:
    said = typing("tui")

    assert said.code == 1
    assert "the console is not in this version" in said.err
