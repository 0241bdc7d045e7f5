"""Where ``mini-eaas`` begins. The console is there at once: it needs nothing of the commands."""

import sys
from importlib import import_module


def main() -> None:
    """Be the console for ``mini-eaas tui``, and the command line for all else."""
    program = "eaas.cli.main"
    if sys.argv[1:2] == ["tui"]:
        program = "eaas_tui.__main__"
        del sys.argv[1]
    try:
        import_module(program).main()
    except KeyboardInterrupt:  # while it was imported; later each of the two answers itself
        sys.exit(130)
