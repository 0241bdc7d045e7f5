"""``eaas-agent run``: the agent as a program."""

import os
import sys
from collections.abc import Sequence

from eaas.exit_codes import DONE
from eaas.program import obey, say_unwritten
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings
from eaas.stdout import say, written
from eaas_agent.arguments import parse
from eaas_agent.config import computed_here, config_from, read_settings
from eaas_agent.settings import KEYS, PROGRAM


def main(argv: Sequence[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    return written(lambda: _run(argv), say_unwritten)


def _run(argv: Sequence[str] | None) -> int:
    typed = parse(argv)

    def read() -> Settings:
        settings = read_settings(typed, os.environ)
        config_from(settings, os.environ)
        return settings

    async def serve(settings: Settings, notice: ServiceNotice) -> None:
        from eaas_agent.headless import run  # only here: `config` needs none of it

        await run(settings, read, notice)

    async def join(settings: Settings) -> int:
        from eaas_agent.joining import join_once
        from eaas_agent.kept_options import how_to_run

        config = config_from(settings, os.environ)
        say(f"{await join_once(config)}; {how_to_run(typed, config, os.environ)}")
        return DONE

    async def check(settings: Settings) -> int:
        from eaas_agent.checking import check_once

        return await check_once(config_from(settings, os.environ), say, typed.output)

    return obey(
        typed,
        program=PROGRAM,
        keys=KEYS,
        read=read,
        serve=serve,
        computed=lambda settings: computed_here(settings, os.environ),
        others={"join": join, "check": check},
    )


if __name__ == "__main__":
    sys.exit(main())
