"""What was typed to join by, kept in agent.yaml: the agent is to run as it joined."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from eaas.paths import paths_from
from eaas.settings.command_line import Typed
from eaas.settings.files import candidates, settings_file
from eaas.settings.layers import settle
from eaas.yaml_text import yaml_text
from eaas_agent.config import AgentConfig
from eaas_agent.settings import KEYS, PROGRAM

NOT_KEPT: Final = frozenset(("server", "token", "token_file"))
"""What joining has made of these lies in the state folder."""
RUN: Final = "mini-eaas agent run"


def how_to_run(typed: Typed, config: AgentConfig, environ: Mapping[str, str]) -> str:
    """Return in a sentence how the agent is started now that it has joined.

    Its options are written to its settings file where there is none yet; what could not be is part
    of the line to type.
    """
    options = {name: value for name, value in typed.values.items() if name not in NOT_KEPT}
    file = typed.config or settings_file(PROGRAM, environ)
    with_file = "" if typed.config is None else f" --config {shlex.quote(str(typed.config))}"
    if file is not None:
        options = _not_said_there(options, file, environ)
    elif options and _is_alone(config.state_dir, environ):
        place = candidates(PROGRAM, environ)[0]
        if _written(place, options):
            return f"its options are kept in {place}; let it work: {RUN}"
    words = "".join(f" {_option(name)} {shlex.quote(str(options[name]))}" for name in options)
    return f"let it work: {RUN}{with_file}{words}"


def _not_said_there(
    options: Mapping[str, object], file: Path, environ: Mapping[str, str]
) -> dict[str, object]:
    """Return the options that the agent would not have without being told again."""
    known = settle(PROGRAM, KEYS, file=file, environ=environ, typed={})
    asked = settle(PROGRAM, KEYS, file=None, environ={}, typed=options)
    return {name: value for name, value in options.items() if known[name] != asked[name]}


def _is_alone(state_dir: Path, environ: Mapping[str, str]) -> bool:
    """Tell whether no other agent of this installation would read the same file."""
    agents = paths_from(environ).home / "agents"
    others = agents.iterdir() if agents.is_dir() else ()
    return all(folder == state_dir for folder in others)


def _written(place: Path, options: Mapping[str, object]) -> bool:
    text = f"# Written by mini-eaas agent join.\n{yaml_text(options)}"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        with os.fdopen(handle, "w") as file:
            os.fchmod(handle, 0o644)
            file.write(text)
    except OSError:
        return False
    return True


def _option(name: str) -> str:
    return next(key.option for key in KEYS if key.name == name)
