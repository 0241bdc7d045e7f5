"""What the controller is built from, made of its settings."""

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from eaas.errors import FieldError
from eaas.settings.command_line import Typed
from eaas.settings.files import settings_file
from eaas.settings.layers import Settings, WrongSettings, settle
from eaas_daemon.api.kernel_word import Members
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.settings import KEYS, PROGRAM

DEFAULT_PORT: Final = 7470


class ControllerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a controller has to know before it starts."""

    listen: str = "127.0.0.1"
    """An address of this machine; beyond loopback there is TLS."""
    port: int | None = None
    """None is 7470, or any free port when another program has that; 0 is any free port."""
    names: tuple[str, ...] = ()
    """By which others know this machine, beside what it knows itself."""
    insecure: bool = False
    members: Members = "everybody"
    log_budget_mib: int = 20480
    """What job logs may take on this disk; the oldest ended ones go first."""
    journal_days: int = 90
    folders: tuple[FolderSettings, ...] = ()
    """Watched folders beside ``inbox/`` in the controller's own folder."""

    @property
    def is_open(self) -> bool:
        """Tell whether other machines can reach it."""
        return not ipaddress.ip_address(self.listen).is_loopback

    @property
    def has_tls(self) -> bool:
        """Tell whether what is said there is kept from whoever listens in."""
        return self.is_open and not self.insecure


def read_settings(typed: Typed, environ: Mapping[str, str]) -> Settings:
    """Return every setting; raise ``WrongSettings`` with every mistake, or ``NotTrusted``."""
    file = typed.config or settings_file(PROGRAM, environ)
    settings = settle(
        PROGRAM, KEYS, file=file, environ=environ, typed=typed.values, unknown=typed.unknown
    )
    if file is not None:
        _refuse_own_folder(settings, file.absolute())
    return settings


def _refuse_own_folder(settings: Settings, file: Path) -> None:
    """Refuse to watch where the settings lie: they would be taken for a job and put away."""
    for folder in settings["folders"]:
        if folder.path == file.parent:
            place = settings.by_name["folders"].source
            message = (
                f"{place}: folders: {folder.path} holds {file.name}, which is no job: name another"
            )
            raise WrongSettings((FieldError(field="folders", message=message),))


def config_from(settings: Settings) -> ControllerConfig:
    """Return the configuration that the settings make."""
    return ControllerConfig(
        listen=settings["listen"],
        port=settings["port"],
        names=settings["names"],
        insecure=settings["insecure"],
        members=settings["members"],
        log_budget_mib=settings["log_budget_mib"],
        journal_days=settings["journal_days"],
        folders=settings["folders"],
    )


def computed_here(settings: Settings) -> dict[str, object]:
    """Return what settings that were left out come to on this machine."""
    return {"port": DEFAULT_PORT}
