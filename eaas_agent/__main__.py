"""``eaas-agent run``: the agent as a program."""

import os
import sys
from collections.abc import Sequence

from eaas.errors import EaasError
from eaas.log_lines import begin_log
from eaas.program import USAGE, run_program, say_why
from eaas.service_notice import ServiceNotice
from eaas.settings.files import candidates
from eaas.settings.layers import Settings
from eaas.settings.view import as_json
from eaas_agent.arguments import parse
from eaas_agent.config import config_from, read_settings
from eaas_agent.settings import KEYS, PROGRAM


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    typed = parse(argv)
    begin_log("info", "auto")

    def read() -> Settings:
        settings = read_settings(typed, os.environ)
        config_from(settings, os.environ)
        return settings

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
        from eaas_agent.headless import run  # only here: `config` needs none of it

        await run(settings, read, notice)

    return run_program(serve)


if __name__ == "__main__":
    sys.exit(main())
