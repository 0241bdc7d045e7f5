"""What ``eaas-daemon`` takes on its command line."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the command line's values; exits with 2 and a sentence when it is wrong."""
    parser = argparse.ArgumentParser(prog="eaas-daemon", description="The Mini EaaS controller.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run in the foreground until SIGTERM")
    run.add_argument("--config", type=Path, metavar="FILE", help="controller.yaml")
    run.add_argument("--listen", metavar="ADDRESS", help="default: 127.0.0.1")
    run.add_argument("--port", type=int, metavar="N", help="default: 7470; 0 is any free one")
    run.add_argument("--log-level", choices=("debug", "info", "warning", "error"))
    return parser.parse_args(argv)
