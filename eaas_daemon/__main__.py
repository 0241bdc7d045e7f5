"""``eaas-daemon run``: the controller as a program."""

import os
import sys
from collections.abc import Sequence

from eaas.paths import paths_from
from eaas.program import obey, say_unwritten
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings
from eaas.stdout import written
from eaas_daemon.arguments import parse
from eaas_daemon.config import computed_here, read_settings
from eaas_daemon.settings import KEYS, PROGRAM


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    return written(lambda: _run(argv), say_unwritten)


def _run(argv: Sequence[str] | None) -> int:
    typed = parse(argv)

    def read() -> Settings:
        return read_settings(typed, os.environ)

    async def serve(settings: Settings, notice: ServiceNotice) -> None:
        from eaas_daemon.headless import run  # only here: `config` needs none of it

        await run(paths_from(os.environ), settings, read, notice)

    return obey(typed, program=PROGRAM, keys=KEYS, read=read, serve=serve, computed=computed_here)


if __name__ == "__main__":
    sys.exit(main())
