"""Commands that hand over to another program, and the shells' completion scripts."""

import os
import sys

import click
from click.shell_completion import get_completion_class

from eaas.cli.group import OUTPUT_KEY, Command

PASS_ON = {
    "ignore_unknown_options": True,
    "help_option_names": [],
    "allow_interspersed_args": False,
}

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def controller_run(args: tuple[str, ...]) -> None:
    """Run the controller in the foreground."""
    _become("eaas_daemon", "run", *args, typed="controller")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def controller_backup(args: tuple[str, ...]) -> None:
    """Copy the controller's database to a file."""
    _become("eaas_daemon.backup", *args, typed="controller backup")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def controller_restore(args: tuple[str, ...]) -> None:
    """Let a stopped controller go on from a backup."""
    _become("eaas_daemon.restore", *args, typed="controller restore")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def agent_run(args: tuple[str, ...]) -> None:
    """Run an agent in the foreground."""
    _become("eaas_agent", "run", *args, typed="agent")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def agent_join(args: tuple[str, ...]) -> None:
    """Become a node of a controller elsewhere."""
    _become("eaas_agent", "join", *args, typed="agent")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def agent_check(args: tuple[str, ...]) -> None:
    """See whether this machine reaches its controller."""
    output = click.get_current_context().meta.get(OUTPUT_KEY)
    before = () if output is None else ("--output", output)
    _become("eaas_agent", "check", *before, *args, typed="agent")


@click.command(cls=click.Command, context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def tui(args: tuple[str, ...]) -> None:
    """Open the full-screen console."""
    _become("eaas_tui", *args)


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a shell's completion script.

    For bash: eval "$(mini-eaas completion bash)" in ~/.bashrc; the same for zsh; for fish:
    mini-eaas completion fish > ~/.config/fish/completions/mini-eaas.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows all of SHELLS"
    root = ctx.find_root()
    for name in ("mini-eaas", "eaas"):
        variable = f"_{name}_COMPLETE".replace("-", "_").upper()
        click.echo(kind(root.command, {}, name, variable).source())


def _become(module: str, *args: str, typed: str | None = None) -> None:
    """Replace this process by the program, so that signals and exit codes are its own.

    ``typed`` is the group that people typed; the program's own texts then say that.
    """
    sys.stdout.flush()
    if typed is not None:
        from eaas.settings.command_line import TYPED_AS  # the console needs none of it

        os.environ[TYPED_AS] = f"{click.get_current_context().find_root().info_name} {typed}"
    os.execv(sys.executable, [sys.executable, "-m", module, *args])
