"""``eaas-daemon run``: the controller as a program."""

import os
import sys
from collections.abc import Sequence

from eaas.errors import EaasError
from eaas.log_lines import begin_log
from eaas.paths import paths_from
from eaas.program import USAGE, run_program, say_why
from eaas.service_notice import ServiceNotice
from eaas.settings.files import candidates
from eaas.settings.layers import Settings
from eaas.settings.view import as_json
from eaas_daemon.arguments import parse
from eaas_daemon.config import read_settings
from eaas_daemon.settings import KEYS, PROGRAM


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    typed = parse(argv)
    begin_log("info", "auto")

    def read() -> Settings:
        return read_settings(typed, os.environ)

    try:
        settings = read()
    except EaasError as refusal:
        return say_why(refusal, USAGE)
    if typed.verb == "config":
        print(as_json(PROGRAM, KEYS, settings, looked_for=candidates(PROGRAM, os.environ)))
        return 0
    begin_log(settings["log_level"], settings["log_format"])
    notice = ServiceNotice(os.environ)

    async def serve() -> None:
        from eaas_daemon.headless import run  # only here: `config` needs none of it

        await run(paths_from(os.environ), settings, read, notice)

    return run_program(serve)


if __name__ == "__main__":
    sys.exit(main())
