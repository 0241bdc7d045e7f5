"""From what was asked and found to what is to be done: pure, and the same each time."""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from eaas.cli.setup.facts import Asked, Facts, OwnAgent
from eaas.cli.setup.places import MARK, Places
from eaas.cli.setup.steps import (
    Backup,
    FirstPool,
    Join,
    Linger,
    MakeFolder,
    MakeUser,
    PutFile,
    RemoveFile,
    RemoveUser,
    Start,
    Step,
    Stop,
    Systemctl,
)
from eaas.cli.setup.units import unit_text
from eaas.cli.up import DEFAULT_POOL
from eaas.paths import paths_from

MODULES = {"controller": "eaas_daemon", "agent": "eaas_agent"}


def plan_install(
    asked: Asked, places: Places, agent: Places, facts: Facts, *, examples: dict[str, str], at: str
) -> list[Step]:
    """Return the steps that install a role, or bring it up to this clone's version.

    ``examples`` are the example units by role; ``at`` is the time, as a file may be called;
    ``agent`` is where an agent beside a controller lies.
    """
    steps: list[Step] = []
    if facts.runs_as_root:
        steps.append(_all_stopped(places, owner=None))
    if places.service_user is not None and facts.user == "none":
        steps.append(MakeUser(name=places.service_user, home=places.home, comment=MARK))
    steps.append(MakeFolder(path=places.state_dir, mode=0o711, owner=places.service_user))
    if not facts.has_settings:
        steps.append(PutFile(path=places.settings, text=first_settings(asked, places)))
    if places.role == "controller" and facts.has_data:
        steps.append(
            Backup(
                python=places.bin / "python",
                home=places.home,
                name=f"controller-{at}.db",
                owner=places.service_user,
            )
        )
    steps += _join(asked, places, facts)
    steps += _started(places, facts, examples[places.role])
    if places.role == "controller":
        steps.append(
            FirstPool(
                socket=paths_from({"MINI_EAAS_HOME": str(places.home)}).socket, pool=DEFAULT_POOL
            )
        )
        if facts.own_agent is not None:
            agent = replace(agent, state_dir=facts.own_agent.folder)
            steps += _taken_over(facts.own_agent, places, agent)
        if facts.agent_here or facts.own_agent is not None:
            steps += _started(agent, facts, examples["agent"])
    return steps


def _taken_over(own: OwnAgent, places: Places, agent: Places) -> Iterator[Step]:
    """Yield what makes the agent of `mini-eaas up` a service beside the controller.

    It stays the node that it is, with its folder: its jobs are known by where that lies. It comes
    in by the socket, without a token.
    """
    yield _stopped(agent)
    yield MakeFolder(path=agent.state_dir, mode=0o711)
    socket = paths_from({"MINI_EAAS_HOME": str(places.home)}).socket
    written = re.sub("^state_dir:.*\n?", "", own.settings, flags=re.MULTILINE).rstrip("\n")
    text = f"{written}\n" if written else _head(agent)
    text += f"state_dir: {own.folder}\nserver: {socket}\n"
    yield PutFile(path=agent.settings, text=text)


def plan_removal(
    found: list[Places], facts: Facts, units: dict[Path, str], *, user: str | None
) -> list[Step]:
    """Return the steps that stop everything of this clone and remove it, but for the data.

    ``units`` are the unit files of this clone with their names; ``user`` the service user if we
    made it.
    """
    for_user = facts.manager == "user"
    steps: list[Step] = []
    for path, name in units.items():
        steps.append(Systemctl(order=("disable", "--now", name), for_user=for_user, may_fail=True))
        steps.append(RemoveFile(path=path))
    if units:
        steps.append(Systemctl(order=("daemon-reload",), for_user=for_user, may_fail=True))
    homes = {places.run_home: places for places in found}
    for places in homes.values():
        owner = places.service_user if facts.user != "none" and not facts.runs_as_root else None
        steps.append(_all_stopped(places, owner=owner))
    if user is not None:
        steps.append(RemoveUser(name=user))
    return steps


def first_settings(asked: Asked, places: Places) -> str:
    """Return the settings file of a role where there is none yet."""
    if places.role == "agent":
        server = f"server: {asked.server}\n" if asked.server else ""
        mirror = f"image_mirror: {asked.image_mirror}\n" if asked.image_mirror else ""
        return _head(places) + server + mirror
    return (
        f"{_head(places)}listen: 0.0.0.0\nport: {asked.port or 7470}\n"
        "# By which name others know this machine, if its address may change:\n"
        "# names: [pool.example.org]\n"
    )


def _head(places: Places) -> str:
    example = places.clone / "config" / places.settings.name
    return f"# Every setting is explained in {example}\n\n"


def _join(asked: Asked, places: Places, facts: Facts) -> Iterator[Step]:
    if places.role != "agent" or facts.passport_fits or asked.server is None:
        return
    if facts.manager != "none" and (places.units / f"{places.unit}.service").exists():
        for_user = facts.manager == "user"
        yield Systemctl(order=("stop", places.unit), for_user=for_user, may_fail=True)
    yield _stopped(places)
    yield Join(
        program=places.bin / "eaas-agent",
        server=asked.server,
        state_dir=places.state_dir,
        settings=places.settings,
        home=places.home,
    )


def _started(places: Places, facts: Facts, example: str) -> Iterator[Step]:
    if facts.manager == "none":
        yield started(places)
        return
    for_user = facts.manager == "user"
    text = unit_text(example, places, for_user=for_user)
    yield PutFile(path=places.units / f"{places.unit}.service", text=text)
    yield _stopped(places)
    yield Systemctl(order=("daemon-reload",), for_user=for_user)
    yield Systemctl(order=("enable", places.unit), for_user=for_user)
    yield Systemctl(order=("restart", places.unit), for_user=for_user)
    if not facts.lingers:
        yield Linger()


def started(places: Places) -> Start:
    """Return the step that starts the role's program without a service manager."""
    return Start(
        python=places.bin / "python",
        program=places.program,
        home=places.run_home,
        owner=places.service_user,
        module=MODULES[places.role],
        arguments=tuple(places.arguments),
    )


def _stopped(places: Places) -> Stop:
    return _all_stopped(places, program=places.program, owner=places.service_user)


def _all_stopped(places: Places, *, owner: str | None, program: str = "") -> Stop:
    return Stop(python=places.bin / "python", program=program, home=places.run_home, owner=owner)
