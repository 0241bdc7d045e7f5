"""The agent's command line."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eaas_agent.config import RUNTIMES, Typed


def parse(argv: Sequence[str]) -> Typed:
    """Return what was typed; ends the program with code 2 for what can't be understood."""
    parser = argparse.ArgumentParser(
        prog="eaas-agent", description="Runs jobs on this machine for a Mini EaaS controller."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run the agent in the foreground")
    run.add_argument("--name", help="what the node is called (default: this host's name)")
    run.add_argument("--state-dir", type=Path, metavar="DIR", help="where it keeps what it knows")
    run.add_argument("--runtime", choices=RUNTIMES, help="how jobs run (default: auto)")
    run.add_argument("--simulate", metavar="SPEC", help="pretend cards, as in 2x24GiB")
    run.add_argument("--server", metavar="URL", help="the controller: http://HOST:PORT or a socket")
    run.add_argument("--token-file", type=Path, metavar="FILE", help="the token for a URL")
    run.add_argument("--cpus", type=_cpus, metavar="N", help="how many CPUs to offer")
    run.add_argument("--config", type=Path, metavar="FILE", help="an agent.yaml")
    run.add_argument("--verbose", action="store_true", help="say more in the log")
    found = vars(parser.parse_args(argv))
    del found["command"]
    return Typed(**found)


def _cpus(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 4096:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of CPUs")
    return number
