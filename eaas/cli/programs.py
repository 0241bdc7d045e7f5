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


def _handing_over(
    about: str, *line: str, typed: str | None = None, with_output: bool = False
) -> click.Command:
    """Return a command that becomes this program, with what else was typed behind its line.

    ``typed`` is what people typed before; the program's own texts then say that. One
    ``with_output`` is told of an ``-o`` that stood before.
    """

    def hand_over(args: tuple[str, ...]) -> None:
        output = click.get_current_context().meta.get(OUTPUT_KEY) if with_output else None
        _become(*line, *(() if output is None else ("--output", output)), *args, typed=typed)

    return click.Command(
        name=None,
        callback=hand_over,
        params=[click.Argument(["args"], nargs=-1, type=click.UNPROCESSED)],
        help=about,
        context_settings=PASS_ON,
        add_help_option=False,
    )


controller_run = _handing_over(
    "Run the controller in the foreground.", "eaas_daemon", "run", typed="controller"
)
controller_backup = _handing_over(
    "Copy the controller's database to a file.", "eaas_daemon.backup", typed="controller backup"
)
controller_restore = _handing_over(
    "Let a stopped controller go on from a backup.",
    "eaas_daemon.restore",
    typed="controller restore",
)
agent_run = _handing_over("Run an agent in the foreground.", "eaas_agent", "run", typed="agent")
agent_join = _handing_over(
    "Become a node of a controller elsewhere.", "eaas_agent", "join", typed="agent"
)
agent_check = _handing_over(
    "See whether this machine reaches its controller.",
    "eaas_agent",
    "check",
    typed="agent",
    with_output=True,
)
tui = _handing_over("Open the full-screen console.", "eaas_tui")


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
    """Replace this process by the program, so that signals and exit codes are its own."""
    sys.stdout.flush()
    if typed is not None:
        from eaas.settings.command_line import TYPED_AS  # the console needs none of it

        os.environ[TYPED_AS] = f"{click.get_current_context().find_root().info_name} {typed}"
    os.execv(sys.executable, [sys.executable, "-m", module, *args])
