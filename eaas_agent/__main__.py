"""``eaas-agent run``: the agent as a program."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence

import uvloop

from eaas.errors import EaasError
from eaas_agent.app import run
from eaas_agent.arguments import parse
from eaas_agent.config import resolve

CANNOT_START = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    typed = parse(sys.argv[1:] if argv is None else argv)
    logging.basicConfig(
        level=logging.DEBUG if typed.verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    try:
        config = resolve(typed, os.environ)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(config))
    except EaasError as error:
        print(f"eaas-agent: {error}", file=sys.stderr)
        return CANNOT_START
    except OSError as error:
        print(f"eaas-agent: {error.filename}: {error.strerror}", file=sys.stderr)
        return CANNOT_START
    return 0


if __name__ == "__main__":
    sys.exit(main())
