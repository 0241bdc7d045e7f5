"""What is true of this machine before anything is changed: read once, then only looked at."""

import asyncio
import os
import pwd
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from eaas.cli.processes import programs, running
from eaas.cli.setup.network import Outward, outward, port_holder
from eaas.cli.setup.places import MARK, Places
from eaas.client import Address, Client
from eaas.client.trust import is_of
from eaas.errors import EaasError
from eaas.paths import paths_from
from eaas.settings.layers import COMPUTED
from eaas.settings.view import SettingsView
from eaas.tokens import Token

Manager = Literal["system", "user", "none"]

NOBODY = 65534
TIME_LIMIT_S = 60.0


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants."""

    for_user: bool = False
    server: str | None = None
    """The controller's address as a URL; for an agent."""
    token: Token | None = None
    port: int | None = None
    """Where a new controller is to listen."""
    image_mirror: str | None = None
    """A registry that a new agent takes Docker Hub's images from."""


class Passport(msgspec.Struct, frozen=True):
    """What an agent that has joined keeps: of which controller it is a node."""

    url: str
    ca: str


class OwnAgent(msgspec.Struct, frozen=True):
    """An agent of a pool on one machine: where its data lies, and what its settings file says."""

    folder: Path
    settings: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The machine as it was found."""

    is_root: bool
    manager: Manager
    free_mib: int | None
    """Where the data is to lie; None where that can't be told."""
    user: Literal["none", "ours", "theirs"] = "none"
    """Whether the service user exists, and whether install.sh made it."""
    unreadable: str | None = None
    """Why another user can't run the programs of this clone."""
    python: str = ""
    """The Python behind the clone's environment."""
    has_settings: bool = False
    settings: dict[str, object] = {}
    """What the role's settings file says, and the defaults; empty without a file."""
    settings_wrong: str | None = None
    has_data: bool = False
    answers: bool = False
    """Whether this installation's controller does now."""
    port_held_by: str | None = None
    outward: Outward | None = None
    way_blocked: str | None = None
    """What does not hold on the way to the controller, as `eaas-agent check` says it."""
    runs_as_root: bool = False
    """Whether root's `mini-eaas up` runs a pool in what is to be the service user's folder."""
    passport: Passport | None = None
    passport_fits: bool = False
    """Whether it is of the controller that the token names, or no token was given."""
    agent_here: bool = False
    """Whether an agent of this clone runs beside the controller."""
    own_agent: OwnAgent | None = None
    """The agent that `mini-eaas up` ran here, if no role has taken it over."""
    lingers: bool = True


def read_facts(asked: Asked, places: Places, agent: Places, environ: Mapping[str, str]) -> Facts:
    """Look at the machine; ``agent`` is where an agent beside a controller would lie."""
    manager = service_manager(for_user=asked.for_user)
    found, wrong = settings_of(places)
    port = asked.port if asked.port and not places.settings.exists() else found.get("port")
    answers = asyncio.run(_answers(places.home))
    is_controller = places.role == "controller"
    passport = _passport(places)
    return Facts(
        is_root=os.geteuid() == 0,
        manager=manager,
        free_mib=_free_mib(places.state_dir),
        user=_user(places.service_user),
        unreadable=_unreadable(places) if places.service_user and os.geteuid() == 0 else None,
        python=os.path.realpath(places.bin / "python"),
        has_settings=places.settings.exists(),
        settings=found,
        settings_wrong=wrong,
        has_data=places.paths.database.exists(),
        answers=answers,
        port_held_by=port_holder(_port(port)) if is_controller and not answers else None,
        outward=outward() if is_controller else None,
        way_blocked=_way_blocked(asked, places) if asked.server and not is_controller else None,
        runs_as_root=places.service_user is not None and _runs_as_root(places),
        passport=passport,
        passport_fits=passport is not None and _fits(passport, asked.token),
        agent_here=is_controller and _runs(agent, manager),
        own_agent=_own_agent(places, agent) if is_controller else None,
        lingers=manager != "user" or Path("/var/lib/systemd/linger", _login()).exists(),
    )


def service_manager(*, for_user: bool) -> Manager:
    """Return who starts services here, ``none`` where systemd is not at work."""
    words = ["systemctl", *(["--user"] if for_user else []), "is-system-running"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIME_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return "none"
    if done.stdout.strip() not in ("running", "degraded", "starting", "initializing"):
        return "none"
    return "user" if for_user else "system"


def settings_of(places: Places) -> tuple[dict[str, object], str | None]:
    """Return what the program itself makes of its settings file, or its words about a mistake."""
    if not places.settings.exists():
        return {}, None
    program = "eaas-daemon" if places.role == "controller" else "eaas-agent"
    done = subprocess.run(
        [places.bin / program, "config", "--config", places.settings],
        env=own_environ(os.environ, places.home),
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
    )
    if done.returncode:
        return {}, last_words(done.stderr)
    view = msgspec.json.decode(done.stdout, type=SettingsView)
    return {row.key: row.value for row in view.settings if row.source != COMPUTED}, None


def _way_blocked(asked: Asked, places: Places) -> str | None:
    """Let the agent try the way, step by step; what it says of the first that does not hold."""
    shown = {} if asked.token is None else {"MINI_EAAS_TOKEN": str(asked.token)}
    done = subprocess.run(
        [
            *(places.bin / "eaas-agent", "check"),
            *("--server", str(asked.server), "--state-dir", places.state_dir),
        ],
        env={**own_environ(os.environ, places.home), **shown},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
    )
    for line in done.stdout.splitlines():
        name, state, text = ([*line.split(None, 2), "", "", ""])[:3]
        if state == "failed" and (name != "token" or shown):
            return f"{name}: {text}"
    return None


def own_environ(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the environment without what the person's shell says of other installations."""
    kept = {key: value for key, value in environ.items() if not key.startswith("MINI_EAAS_")}
    return {**kept, "MINI_EAAS_HOME": str(home)}


def last_words(said: str) -> str:
    """Return what a program said last, as sentences."""
    from eaas.log_lines import message_of

    return "\n".join(message_of(line) for line in said.splitlines()[-5:])


async def _answers(home: Path) -> bool:
    paths = paths_from({"MINI_EAAS_HOME": str(home)})
    try:
        async with Client(Address(socket=paths.socket)) as client:
            await client.status()
    except EaasError:
        return False
    return True


def _free_mib(folder: Path) -> int | None:
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    try:
        found = os.statvfs(there or "/")
    except OSError:
        return None
    return found.f_bavail * found.f_frsize >> 20


def _user(name: str | None) -> Literal["none", "ours", "theirs"]:
    try:
        found = pwd.getpwnam(name or "")
    except KeyError:
        return "none"
    return "ours" if found.pw_gecos == MARK else "theirs"


def _unreadable(places: Places) -> str | None:
    """Let somebody without rights try to start the controller's program."""
    try:
        done = subprocess.run(
            [places.bin / "eaas-daemon", "--help"],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            cwd="/",
            env={"PATH": os.defpath},
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
        )
    except OSError as error:
        return error.strerror or str(error)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else None


def _passport(places: Places) -> Passport | None:
    try:
        text = (places.state_dir / "passport.json").read_bytes()
        return msgspec.json.decode(text, type=Passport)
    except (OSError, msgspec.MsgspecError):
        return None


def _fits(passport: Passport, token: Token | None) -> bool:
    return token is None or not passport.ca or is_of(passport.ca, token.ca)


def _runs(places: Places, manager: Manager) -> bool:
    if manager != "none":
        return (places.units / f"{places.unit}.service").exists()
    return places.settings.exists() and running(places.paths, places.program) is not None


def _own_agent(places: Places, agent: Places) -> OwnAgent | None:
    """Return this pool's agent if it has one that is no service and goes to no other controller."""
    folder = places.paths.agent_state(agent.node)
    if folder.is_symlink() or not (folder / "ledger.db").exists():
        return None
    settings = agent.settings.read_text() if agent.settings.exists() else ""
    goes_elsewhere = re.search("^server:", settings, re.MULTILINE) is not None
    is_service = (agent.units / f"{agent.unit}.service").exists()
    has_joined = (folder / "passport.json").exists()
    return None if is_service or goes_elsewhere or has_joined else OwnAgent(folder, settings)


def _runs_as_root(places: Places) -> bool:
    try:
        is_roots = places.home.stat().st_uid == 0
    except FileNotFoundError:
        return False
    return is_roots and any(programs(places.paths))


def _port(port: object) -> int:
    return port if isinstance(port, int) else 7470


def _login() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
