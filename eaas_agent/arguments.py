"""The agent's command line."""

from collections.abc import Sequence

from eaas.settings.command_line import Typed
from eaas.settings.command_line import parse as parse_keys
from eaas_agent.settings import KEYS, PROGRAM


def parse(argv: Sequence[str] | None) -> Typed:
    """Return what was typed; ends the program with code 2 for what can't be understood."""
    return parse_keys(
        argv,
        KEYS,
        name="eaas-agent",
        program=PROGRAM,
        more={
            "join": "become a node of a controller elsewhere, by its token",
            "check": "see step by step whether this machine reaches its controller",
        },
        reports=("check",),
        about="Runs jobs on this machine for a Mini EaaS controller.",
    )
