"""How one agent is set up: what was typed, else the environment, else agent.yaml, else defaults."""

import re
import socket
from collections.abc import Mapping
from pathlib import Path

import msgspec

from eaas.client.address import Address, BadAddress, NotSafe, address_at
from eaas.errors import FieldError
from eaas.ids import NodeName
from eaas.paths import client_socket, paths_from
from eaas.settings.command_line import Typed
from eaas.settings.files import settings_file
from eaas.settings.layers import Settings, WrongSettings, settle
from eaas_agent.cards.sharing import DEFAULT_SHARING, ShareRules
from eaas_agent.inventory import ANYHOW, Reach
from eaas_agent.machine import read_machine
from eaas_agent.named_folders import Mount
from eaas_agent.passport import read_passport
from eaas_agent.settings import KEYS, PROGRAM, RuntimeKind


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an agent has to know before it starts."""

    name: NodeName
    state_dir: Path
    runtime: RuntimeKind
    simulate: str | None
    address: Address
    cpus: float | None
    """None for as many as the machine has."""
    labels: dict[str, str]
    mounts: tuple[Mount, ...]
    image_mirror: str | None
    """The registry that Docker Hub's images are taken from, if it has them."""
    log_cap_mib: int | None
    """What a job's log may take on this node at most, whatever the job asks for."""
    keep_s: float | None
    """How long a workspace is kept at most."""
    sharing: ShareRules = DEFAULT_SHARING
    """How its cards are shared."""
    reach: Reach = ANYHOW
    """How ranks on other nodes reach those here."""


def read_settings(typed: Typed, environ: Mapping[str, str]) -> Settings:
    """Return every setting; raise ``WrongSettings`` with every mistake, or ``NotTrusted``."""
    file = typed.config or settings_file(PROGRAM, environ)
    return settle(
        PROGRAM, KEYS, file=file, environ=environ, typed=typed.values, unknown=typed.unknown
    )


def config_from(settings: Settings, environ: Mapping[str, str]) -> AgentConfig:
    """Return the configuration that the settings make here; raise ``Invalid``."""
    name = NodeName(settings["name"] or host_name())
    state_dir = settings["state_dir"] or paths_from(environ).agent_state(name)
    return AgentConfig(
        name=name,
        state_dir=state_dir,
        runtime=settings["runtime"],
        simulate=settings["simulate"],
        address=_address(settings, environ, state_dir),
        cpus=settings["cpus"],
        labels=settings["labels"],
        mounts=settings["mounts"],
        image_mirror=settings["image_mirror"],
        log_cap_mib=settings["log_cap"],
        keep_s=settings["keep"],
        sharing=ShareRules(
            reserve_mib=settings["share_reserve"], max_sharers=settings["max_sharers"]
        ),
        reach=Reach(settings["address"], settings["host_network"]),
    )


def computed_here(settings: Settings, environ: Mapping[str, str]) -> dict[str, object]:
    """Return what settings that were left out come to on this machine."""
    config = config_from(settings, environ)
    return {
        "name": config.name,
        "state_dir": str(config.state_dir),
        "server": str(config.address),
        "cpus": int(read_machine().cpus),
    }


def host_name() -> str:
    """Return this host's name as a node may be called."""
    text = re.sub(r"[^a-z0-9._-]", "-", socket.gethostname().partition(".")[0].lower())
    return text.strip("._-")[:63] or "node"


def _address(settings: Settings, environ: Mapping[str, str], state_dir: Path) -> Address:
    server = settings["server"]
    if server is None and (passport := read_passport(state_dir)) is not None:
        return Address(url=passport.url)
    if server is None:
        return Address(socket=client_socket(environ))
    try:
        return address_at(server, _token(settings), environ, secret=True)
    except (BadAddress, NotSafe) as error:
        raise _wrong(settings, "server", error.sentence) from error


def _token(settings: Settings) -> str | None:
    file: Path | None = settings["token_file"]
    if file is None:
        token: str | None = settings["token"]
        return token
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise _wrong(settings, "token_file", f"{file} can't be read: {why}") from error


def _wrong(settings: Settings, key: str, message: str) -> WrongSettings:
    place = settings.by_name[key].source
    return WrongSettings((FieldError(field=key, message=f"{place}: {key}: {message}"),))
