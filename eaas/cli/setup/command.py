"""``setup``: what install.sh hands over to once the programs are there. Not for people's lists."""

import os
import sys
import time
from pathlib import Path

import click

from eaas.cli.group import SERVER_KEY, TOKEN_KEY, Command
from eaas.cli.line import Line, prints
from eaas.cli.output import Lines
from eaas.cli.processes import running
from eaas.cli.setup.checks import refusals, warnings
from eaas.cli.setup.doing import Means, do
from eaas.cli.setup.facts import Asked, Facts, read_facts, settings_of
from eaas.cli.setup.places import SERVICE_USER, Places, Role, places_for
from eaas.cli.setup.plan import first_settings, plan_install, plan_removal
from eaas.cli.setup.steps import PutFile, Step
from eaas.cli.setup.units import is_of
from eaas.cli.setup.words import after_install, after_removal
from eaas.client.address import url_of
from eaas.errors import EaasError
from eaas.field_checks import Wrong
from eaas.paths import path_of, paths_from
from eaas.settings.keys import IMAGE_MIRROR
from eaas.tokens import Token, read_token


class NotNow(EaasError):
    """Something has to be put right first; nothing was changed."""

    code = "not_now"


@click.command(cls=Command)
@click.argument("role", type=click.Choice(("solo", "controller", "agent")), required=False)
@click.option("--token-file", metavar="FILE", help="The file with the token.")
@click.option("--user", "for_user", is_flag=True, help="For yourself alone.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="The controller's port.")
@click.option("--image-mirror", metavar="HOST", help="Where Docker Hub's images are taken from.")
@click.option("--uninstall", is_flag=True, help="Stop and remove what runs from this clone.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@prints
def setup(
    line: Line,
    role: Role | None,
    token_file: str | None,
    for_user: bool,
    port: int | None,
    image_mirror: str | None,
    uninstall: bool,
    dry_run: bool,
) -> None:
    """Install a role here.

    install.sh calls this.
    """
    clone = Path(sys.prefix).parent
    if uninstall:
        _remove(line, clone, dry_run=dry_run)
        return
    if role is None:
        raise click.UsageError("say which role: controller or agent")
    server = click.get_current_context().meta.get(SERVER_KEY)
    asked = Asked(
        for_user=for_user,
        server=None if server is None else url_of(server, secret=True),
        token=_token(token_file) if role == "agent" else None,
        port=port,
        image_mirror=_mirror(image_mirror),
    )
    if role == "solo":
        _prepare_solo(line, asked, clone, dry_run=dry_run)
        return
    places = places_for(role, clone, os.environ, for_user=for_user)
    _install(line, asked, places, dry_run=dry_run)


def _mirror(text: str | None) -> str | None:
    try:
        return None if text is None else IMAGE_MIRROR.read(text)
    except Wrong as error:
        raise click.UsageError(f"--image-mirror {error.sentence}") from error


def _prepare_solo(line: Line, asked: Asked, clone: Path, *, dry_run: bool) -> None:
    """Write the settings of the agent that `mini-eaas up` starts, if they are asked for."""
    agent = places_for("agent", clone, os.environ, for_user=os.geteuid() != 0)
    facts = Facts(
        is_root=os.geteuid() == 0,
        manager="none",
        free_mib=None,
        has_settings=agent.settings.exists(),
        settings=settings_of(agent)[0],
    )
    for each in warnings(asked, agent, facts):
        line.out.remark(f"Note: {each}.")
    if asked.image_mirror is None or facts.has_settings:
        return
    _go(
        line,
        [PutFile(path=agent.settings, text=first_settings(asked, agent))],
        Means(os.environ),
        dry_run=dry_run,
    )
    if running(paths_from(os.environ), agent.program) is not None:
        line.out.remark("Note: its agent runs already; it takes that up after mini-eaas down.")


def _token(file: str | None) -> Token | None:
    text = click.get_current_context().meta.get(TOKEN_KEY) or os.environ.get("MINI_EAAS_TOKEN")
    if file is not None:
        try:
            text = path_of(file).read_text()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise NotNow(f"{file} can't be read: {why}") from error
    return read_token(text) if text else None


def _install(line: Line, asked: Asked, places: Places, *, dry_run: bool) -> None:
    agent = places_for("agent", places.clone, os.environ, for_user=asked.for_user)
    facts = read_facts(asked, places, agent, os.environ)
    if wrong := refusals(asked, places, facts):
        raise NotNow("\n".join(["nothing was changed:", *(f"  {each}" for each in wrong)]))
    for each in warnings(asked, places, facts):
        line.out.remark(f"Note: {each}.")
    folder = places.clone / "config" / "systemd"
    examples = {
        role: (folder / f"mini-eaas-{role}.service").read_text() for role in ("controller", "agent")
    }
    at = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    steps = plan_install(asked, places, agent, facts, examples=examples, at=at)
    _go(line, steps, Means(os.environ, asked.token), dry_run=dry_run)
    if not dry_run:
        agent = places_for("agent", places.clone, os.environ, for_user=asked.for_user)
        after = after_install(places, facts, agent=agent, token=line.out.is_terminal)
        line.out.answer({"role": places.role}, lambda: [Lines(after)])


def _go(line: Line, steps: list[Step], means: Means, *, dry_run: bool) -> None:
    """Say each step and do it, or only say it."""
    for step in steps:
        line.out.remark(f"  {step.said}")
        if not dry_run:
            do(step, means)


def _remove(line: Line, clone: Path, *, dry_run: bool) -> None:
    for_user = os.geteuid() != 0
    found = [
        places_for("agent", clone, os.environ, for_user=for_user),
        places_for("controller", clone, os.environ, for_user=for_user),
    ]
    facts = read_facts(Asked(for_user=for_user), found[1], found[0], os.environ)
    user = SERVICE_USER if facts.user == "ours" and facts.is_root else None
    steps = plan_removal(found, facts, units_of(clone, found), user=user)
    _go(line, steps, Means(os.environ), dry_run=dry_run)
    if not dry_run:
        told = after_removal(found, facts)
        line.out.answer({"told": told}, lambda: [Lines(told)])


def units_of(clone: Path, found: list[Places]) -> dict[Path, str]:
    """Return the units that were written for this clone, with their names."""
    units = {}
    for places in found:
        file = places.units / f"{places.unit}.service"
        if file.exists() and is_of(file.read_text(), clone):
            units[file] = places.unit
    return units
