"""``config show``: where everything lies, and where every setting comes from."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import click
import msgspec

from eaas.cli.group import Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Block, Facts, Lines, Table
from eaas.errors import EaasError, FieldError
from eaas.log_lines import message_of
from eaas.paths import paths_from
from eaas.settings.layers import COMPUTED, WrongSettings
from eaas.settings.view import SettingsView

MODULES: Final[Mapping[str, str]] = {"controller": "eaas_daemon", "agent": "eaas_agent"}

ANSWER_S: Final = 2.0

REST: Final = {"ignore_unknown_options": True}


@click.command(cls=Command, context_settings=REST)
@click.argument("program", type=click.Choice(tuple(MODULES)), required=False)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@prints
def config_show(line: Line, program: str | None, options: tuple[str, ...]) -> None:
    """Show every setting and its source.

    And where everything lies. With `controller` or `agent`, the settings of that program alone, as
    it would start now; more words are options of its `run`: `config show agent --config FILE`.
    """
    if program is not None:
        [view] = _settings([program], options)
        line.out.answer(view, lambda: _settings_picture(view))
        return
    places = _places()
    controller, agent = _settings(list(MODULES), ())
    answer = {**places, "controller": controller, "agent": agent}
    line.out.answer(answer, lambda: [_places_picture(places), *_both(controller, agent)])
    if (remark := other_pool(places)) is not None:
        line.out.remark(remark)
    address = asyncio.run(_address_in_use())
    if (remark := other_port(controller, address)) is not None:
        line.out.remark(remark)


def other_pool(places: Mapping[str, str]) -> str | None:
    """Return a sentence if commands typed here go to another controller than these settings'."""
    if places["server"] == places["socket"]:
        return None
    return (
        "these are the settings of programs that you start yourself; your commands go to the "
        f"controller at {places['server']}, which has its own: mini-eaas folder list shows the "
        "folders that it watches"
    )


def other_port(controller: SettingsView, address: str | None) -> str | None:
    """Return a sentence if the controller that runs listens on another port than is set."""
    set_to = next(row for row in controller.settings if row.key == "port")
    if address is None or set_to.value == 0 or set_to.source == COMPUTED:
        return None
    if urlsplit(address).port == set_to.value:
        return None
    return (
        f"the controller that runs now listens on {address}, not on port {set_to.value}: "
        "it takes another port only when it is started again (mini-eaas down, then up)"
    )


async def _address_in_use() -> str | None:
    """Return where this installation's controller listens, or None if none answers us."""
    from eaas.client import Address, Client

    try:
        async with (
            asyncio.timeout(ANSWER_S),
            Client(Address(socket=paths_from(os.environ).socket)) as client,
        ):
            return (await client.status()).address
    except (EaasError, TimeoutError):
        return None


def _places() -> dict[str, str]:
    from eaas.client.address import address_from

    paths = paths_from(os.environ)
    return {
        "home": str(paths.home),
        "socket": str(paths.socket),
        "server": str(address_from(os.environ)),
        "database": str(paths.database),
        "inbox": str(paths.inbox),
        "job_logs": str(paths.job_logs),
        "packs": str(paths.packs),
        "logs": str(paths.logs),
        "trust": str(paths.trust),
    }


def _settings(programs: Sequence[str], options: Sequence[str]) -> list[SettingsView]:
    """Ask the programs themselves, all at once."""
    asked = [
        subprocess.Popen(
            [sys.executable, "-m", MODULES[program], "config", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for program in programs
    ]
    told = [(process, *process.communicate()) for process in asked]
    wrong = [words for process, _, words in told if process.returncode]
    if wrong:
        mistakes = [message_of(line) for words in wrong for line in words.splitlines()]
        if mistakes[0].startswith("usage:"):
            raise click.UsageError(mistakes[-1].partition("error: ")[2])
        errors = tuple(FieldError(field="", message=mistake) for mistake in mistakes)
        raise WrongSettings(errors, "\n".join(mistakes))
    return [msgspec.json.decode(out, type=SettingsView) for _, out, _ in told]


def _places_picture(places: Mapping[str, str]) -> Block:
    return Facts([(key.replace("_", " "), value) for key, value in places.items()])


def _both(controller: SettingsView, agent: SettingsView) -> Iterable[Block]:
    for view in (controller, agent):
        yield from _settings_picture(view)


def _settings_picture(view: SettingsView) -> Iterable[Block]:
    if view.file is not None:
        yield Lines([f"{view.program}: {view.file}"])
    else:
        yield Lines([f"{view.program}: no file ({' or '.join(view.looked_for)} would be read)"])
    rows = [(row.key, _value(row.value), row.source) for row in view.settings]
    yield Table(("KEY", "VALUE", "SOURCE"), rows)


def _value(value: Any) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
