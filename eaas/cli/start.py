"""Where ``mini-eaas`` begins. The console is there at once: it needs nothing of the commands."""

import os
import sys


def main() -> None:
    """Become the console for ``mini-eaas tui``, and run the command line for all else."""
    if sys.argv[1:2] == ["tui"]:
        os.execv(sys.executable, [sys.executable, "-m", "eaas_tui", *sys.argv[2:]])
    from eaas.cli.main import main as commands

    commands()
