import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eaas.cli.conftest import Type

PROGRAM = str(Path(sys.executable).with_name("mini-eaas"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_completes_both_names(typing: Type, shell: str) -> None:
    said = typing("completion", shell)

    assert said.code == 0
    assert "_MINI_EAAS_COMPLETE" in said.out
    assert "_EAAS_COMPLETE" in said.out


@pytest.mark.parametrize("group", ["controller", "agent"])
def test_run_hands_everything_over_to_the_program_and_says_what_was_typed(group: str) -> None:
    line = [PROGRAM, group, "run", "--help"]
    run = subprocess.run(line, capture_output=True, text=True, check=True)

    assert f"usage: mini-eaas {group} run" in run.stdout
    assert "--config FILE" in run.stdout


def test_the_programs_exit_code_is_the_commands() -> None:
    line = [PROGRAM, "controller", "run", "--port", "many"]

    assert subprocess.run(line, capture_output=True, env=os.environ).returncode == 2


def test_the_console_gets_every_option_and_says_where_it_cannot_run() -> None:
    line = [PROGRAM, "tui", "--view-only", "--theme", "light"]
    run = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    assert run.returncode == 2
    assert "the console needs a terminal" in run.stderr


def test_the_consoles_own_help_is_the_commands() -> None:
    run = subprocess.run([PROGRAM, "tui", "--help"], capture_output=True, text=True, check=True)

    assert "usage: eaas-tui" in run.stdout
    assert "--replay FILE" in run.stdout
