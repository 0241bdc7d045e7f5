"""What people read once a role is installed or removed: how others come in, and what starts it."""

import asyncio
import shlex
from collections.abc import Sequence

from eaas.cli.setup.facts import Facts
from eaas.cli.setup.places import Places
from eaas.cli.setup.plan import started
from eaas.client import Address, Client
from eaas.paths import paths_from


def after_install(places: Places, facts: Facts, *, agent: Places, token: bool) -> list[str]:
    """Return what to tell; ``token`` says that a first controller may show a token, this once.

    ``agent`` is where an agent beside a controller lies.
    """
    told = ["", f"The {places.role} runs, from {places.clone}."]
    told += _where(places, facts)
    if places.role == "controller":
        if facts.own_agent is not None:
            told.append(f"  agent     {places.node}, as before")
        if not (facts.has_data and facts.has_settings):
            address, text = asyncio.run(_address_and_token(places, token))
            told += ["", *how_to_come_in(places, address, text)]
    elif facts.passport is None:
        told += ["", *_how_to_use(str(facts.settings.get("name") or places.node))]
    if facts.manager == "none":
        told += ["", *at_boot(places, *([] if facts.own_agent is None else [agent]))]
    return told


def how_to_come_in(places: Places, address: str, token: str | None) -> list[str]:
    """Return how machines and people come in at this address."""
    tool = shlex.quote(str(places.bin / "mini-eaas"))
    made = (
        ["This token lets machines in for 24 hours, and is not shown again."]
        if token
        else ["A token for it is made here by:", f"  {tool} token create --role agent"]
    )
    return [
        "A machine with cards joins by this, typed there in a clone of its own:",
        f"  ./install.sh --role agent --server {address} --token {token or 'TOKEN'}",
        *made,
        "Then let jobs run on it:",
        f"  {tool} pool add default NODE",
        "",
        "A person's token is made here by:",
        f"  {tool} token create --role member --user NAME",
        "and taken on their machine by:",
        f"  mini-eaas login {address}",
    ]


def at_boot(*all_places: Places) -> list[str]:
    """Return the line of a crontab that starts each program at each boot."""
    told = ["No systemd runs here, so nothing starts it at boot. One line in a crontab does:"]
    for places in all_places:
        told += _line_at_boot(places)
    return told


def _line_at_boot(places: Places) -> list[str]:
    step = started(places)
    line = " ".join(
        [f"MINI_EAAS_HOME={shlex.quote(str(step.home))}", *map(shlex.quote, step.command)]
    )
    whose = f"crontab -u {places.service_user} -e" if places.service_user else "crontab -e"
    return [f"  {whose}", "    @reboot " + line.replace("%", r"\%")]


def after_removal(found: Sequence[Places], facts: Facts) -> list[str]:
    """Return what was left, of what there is."""
    kept = dict.fromkeys(path for each in found for path in (each.state_dir, each.settings))
    there = [str(path) for path in kept if path.exists()]
    told = ["The programs are stopped and removed; jobs run on."]
    if there:
        told += ["Data and settings are still there. Delete them if you don't need them any more:"]
        told += [f"  {path}" for path in there]
    if facts.manager == "none":
        told += ["If you put an @reboot line into a crontab, take it out (crontab -e)."]
    return told


def _where(places: Places, facts: Facts) -> list[str]:
    of = "journalctl --user -u" if facts.manager == "user" else "journalctl -u"
    log = (
        str(places.paths.log_file(places.program))
        if facts.manager == "none"
        else f"{of} {places.unit}"
    )
    return [
        f"  settings  {places.settings}",
        f"  data      {places.state_dir}",
        f"  log       {log}",
    ]


def _how_to_use(node: str) -> list[str]:
    return [
        f"On the controller's machine, `mini-eaas node list` shows {node} now, and",
        f"`mini-eaas pool add default {node}` lets jobs run on it.",
    ]


async def _address_and_token(places: Places, token: bool) -> tuple[str, str | None]:
    socket = paths_from({"MINI_EAAS_HOME": str(places.home)}).socket
    async with Client(Address(socket=socket)) as client:
        address = (await client.status()).address or "HOST"
        made = await client.create_token("agent") if token else None
        return address, None if made is None else made.token
