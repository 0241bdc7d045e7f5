"""Where a role's programs, data, settings and units lie, for a person or for the machine."""

import os
from collections.abc import Mapping
from pathlib import Path
from socket import gethostname
from typing import Final, Literal

import msgspec

from eaas.cli.up import host_name
from eaas.errors import EaasError
from eaas.paths import Paths, paths_from
from eaas.settings.files import candidates, read_settings

Role = Literal["solo", "controller", "agent"]
SERVICE_USER: Final = "mini-eaas"
MARK: Final = "Mini EaaS controller, made by install.sh"
"""The full name of a service user that we made, and may therefore remove."""
SYSTEM_UNITS: Final = Path("/etc/systemd/system")


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """One role's files and folders. Nothing is created by asking for it."""

    role: Role
    clone: Path
    bin: Path
    """Where the programs are: ``.venv/bin`` of the clone."""
    home: Path
    """What the program is given as MINI_EAAS_HOME."""
    state_dir: Path
    """Where the role keeps its data."""
    settings: Path
    units: Path
    """Where the service manager looks for units."""
    service_user: str | None
    """As whom the program runs; None for whoever installs it."""

    @property
    def node(self) -> str:
        """Return what this machine is called as a node."""
        return host_name(gethostname())

    @property
    def program(self) -> str:
        """Return the name of its pid file and log."""
        return "controller" if self.role == "controller" else f"agent-{self.node}"

    @property
    def unit(self) -> str:
        """Return the name of its unit."""
        return f"mini-eaas-{self.role}"

    @property
    def run_home(self) -> Path:
        """Return where its pid file and log lie when no service manager runs it.

        An agent of root keeps out of the folder of a controller that is another user.
        """
        apart = self.role == "agent" and self.units == SYSTEM_UNITS
        return self.state_dir if apart else self.home

    @property
    def paths(self) -> Paths:
        """Return the paths of what runs it without a service manager."""
        return paths_from({"MINI_EAAS_HOME": str(self.run_home)})

    @property
    def arguments(self) -> list[str]:
        """Return what its program is called with."""
        words = ["run", "--config", str(self.settings)]
        return words if self.role == "controller" else [*words, "--state-dir", str(self.state_dir)]


def places_for(role: Role, clone: Path, environ: Mapping[str, str], *, for_user: bool) -> Places:
    """Return where the role's things belong, for this user alone or for the machine."""
    home = paths_from(environ, is_root=not for_user).home
    file = "agent" if role == "agent" else "controller"
    of_controller = role != "agent"
    own = home / "agents" / host_name(gethostname())
    agents = own if for_user else home.with_name(f"{home.name}-agent")
    settings = candidates(file, environ, is_root=not for_user)[0]
    return Places(
        role=role,
        clone=clone,
        bin=clone / ".venv" / "bin",
        home=home,
        state_dir=home if of_controller else _written_state_dir(settings) or agents,
        settings=settings,
        units=_user_units(environ) if for_user else SYSTEM_UNITS,
        service_user=SERVICE_USER if of_controller and not for_user else None,
    )


def _written_state_dir(settings: Path) -> Path | None:
    """Return where the agent's settings say that its data lies, if they say so."""
    try:
        written = read_settings(settings).value
    except (EaasError, OSError):
        return None
    found = written.get("state_dir") if isinstance(written, dict) else None
    return Path(found) if isinstance(found, str) else None


def _user_units(environ: Mapping[str, str]) -> Path:
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME", "/"), ".config")
    return Path(config, "systemd", "user")
