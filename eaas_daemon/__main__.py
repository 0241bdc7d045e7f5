"""``eaas-daemon run``: the controller as a program."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence

import uvloop

from eaas.errors import EaasError
from eaas.paths import paths_from
from eaas_daemon.app import run
from eaas_daemon.arguments import parse
from eaas_daemon.config import read_config

CANNOT_START = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    arguments = parse(argv)
    overrides = {
        "listen": arguments.listen,
        "port": arguments.port,
        "log_level": arguments.log_level,
    }
    try:
        config = read_config(arguments.config, overrides)
        logging.basicConfig(
            level=config.log_level.upper(),
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
            stream=sys.stderr,
        )
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(paths_from(os.environ), config))
    except EaasError as error:
        print(f"eaas-daemon: {error}", file=sys.stderr)
        return CANNOT_START
    return 0


if __name__ == "__main__":
    sys.exit(main())
