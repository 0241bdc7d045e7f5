"""Whether a new name in the settings would make a second node of this machine."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from eaas.errors import FieldError
from eaas.paths import paths_from
from eaas.settings.layers import Settings, WrongSettings
from eaas_agent.config import AgentConfig
from eaas_agent.state_folder import StateInUse, held_state_folder

MARK: Final = "named_by_settings"
"""In the state folder of an agent that was not given its name by whoever started it: of those one
machine has one, and what else is called so on the next start is this one, renamed."""


def refuse_another_name(
    settings: Settings, config: AgentConfig, environ: Mapping[str, str]
) -> None:
    """Raise ``WrongSettings`` if this agent has worked here under another name."""
    if _is_given(settings) or config.state_dir.exists():
        return
    for old in _others(paths_from(environ).home / "agents"):
        now, place = config.name, settings.by_name["name"].source
        message = (
            f"name: this machine is the node {old.name}, and as {now} ({place}) it would be a "
            f"second one. Let it be called {old.name} again, or rename it: on the controller's "
            f"host mini-eaas node remove {old.name}, here mv {old} {config.state_dir}, and "
            "then start it again; elsewhere than on that host, mini-eaas agent join comes first"
        )
        raise WrongSettings((FieldError(field="name", message=message),))


def note_name(settings: Settings, config: AgentConfig) -> None:
    """Remember that the agent of this state folder has its name from the settings."""
    mark = config.state_dir / MARK
    if _is_given(settings):
        mark.unlink(missing_ok=True)
    else:
        mark.touch(mode=0o600)


def _is_given(settings: Settings) -> bool:
    """Tell whether who starts the agent says its name."""
    return settings.by_name["name"].source.startswith(("--", "$"))


def _others(agents: Path) -> Iterator[Path]:
    """Yield the folders of agents named so before that do not run."""
    for mark in sorted(agents.glob(f"*/{MARK}")):
        try:
            with held_state_folder(mark.parent):
                yield mark.parent
        except StateInUse:
            continue
