import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rig.terminal import RealTerminal

INTERRUPTED = """
import os, signal, sys
where = sys.argv[1]

class CtrlC:
    def find_spec(self, name, *_):
        if name == where:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
from eaas.cli.start import main
sys.argv = ["mini-eaas", *sys.argv[2:]]
main()
"""
"""The program, with ctrl+c pressed while it imports what its first argument names."""

PROGRAM = Path(sys.executable).with_name("mini-eaas")


def said(*argv: str) -> "subprocess.CompletedProcess[str]":
    """Run the program away from any terminal."""
    return subprocess.run(
        [PROGRAM, *argv], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def test_the_console_is_reached_with_its_own_words_and_exit_code() -> None:
    no_terminal, wrong = said("tui"), said("tui", "--no-such-thing")

    assert (no_terminal.returncode, no_terminal.stdout) == (2, "")
    assert "the console needs a terminal" in no_terminal.stderr
    assert wrong.returncode == 2
    assert "--no-such-thing" in wrong.stderr


def test_everything_else_is_the_command_line() -> None:
    assert said("--version").returncode == 0
    assert "tui" in said("--help").stdout


def test_the_console_does_not_wait_for_the_commands_nor_for_a_second_interpreter() -> None:
    code = (
        "import os, sys, eaas_tui.__main__ as console; sys.argv = ['mini-eaas', 'tui', '--slow']\n"
        "console.main = lambda: sys.exit(repr([os.getpid(), sys.argv, *sys.modules]))\n"
        "from eaas.cli.start import main; main()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as run:
        pid, argv, *loaded = ast.literal_eval(run.communicate()[1])

    assert (pid, argv) == (run.pid, ["mini-eaas", "--slow"])
    assert not {*loaded} & {"click", "eaas.cli.main", "textual"}


@pytest.mark.parametrize(
    ("importing", "argv"),
    [
        ("click", ["--help"]),
        ("eaas.client", ["status"]),
        ("aiohttp", ["status"]),
        ("eaas_tui.arguments", ["tui"]),
        ("textual", ["tui"]),
    ],
)
def test_ctrl_c_while_it_begins_ends_it_without_a_trace(importing: str, argv: list[str]) -> None:
    with RealTerminal(sys.executable, "-c", INTERRUPTED, importing, *argv) as terminal:
        assert terminal.await_end() == 130
        assert "Traceback" not in terminal.text
