"""Click classes of this command line: commands loaded when used, and options taken anywhere."""

import importlib
from collections.abc import Mapping
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

OUTPUT_KEY: Final = "eaas.output"
SERVER_KEY: Final = "eaas.server"
TOKEN_KEY: Final = "eaas.token"

OUTPUTS: Final = ("table", "json", "yaml")


class Command(click.Command):
    """A command that takes ``-o``, ``--server`` and ``--token`` besides its own options."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's parameters and those that every command has."""
        return [*super().get_params(ctx), *_everywhere(hidden=True)]


class NumbersCommand(Command):
    """A command whose arguments may be negative numbers: ``job priority 42 -5``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ignore_unknown_options = True


class Entry:
    """Where a command is defined, and what the list of commands says about it."""

    def __init__(self, place: str, help: str, *, hidden: bool = False) -> None:
        """Begin; a ``hidden`` one is for programs, and no list or completion names it."""
        self._place: Final = place
        self.help: Final = help
        self.hidden: Final = hidden

    def load(self) -> click.Command:
        """Import the command."""
        module, _, attribute = self._place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


class Group(click.Group):
    """A group that imports a command only when it is used."""

    def __init__(
        self, name: str, help: str, entries: Mapping[str, "Entry | Group"], *, rules: str = ""
    ) -> None:
        """Begin; ``rules`` is what people must know besides the commands, below their list."""
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(
            name, help=help, no_args_is_help=True, context_settings=names, epilog=rules or None
        )
        self.entries: Final = entries

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the group's parameters and those that every command has."""
        own = [_version_option()] if ctx.parent is None else []
        return [*super().get_params(ctx), *own, *_everywhere(hidden=False)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order they were given, without hidden ones."""
        return [name for name, _ in self._shown()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, imported now; None if there is none of that name."""
        entry = self.entries.get(cmd_name)
        return entry.load() if isinstance(entry, Entry) else entry

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            from eaas.spelling import nearest, shown

            near = nearest(args[0], self.list_commands(ctx))
            meant = f"; did you mean {near}?" if near else ""
            ctx.fail(f"there is no command {shown(args[0])}{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        rows = [(name, entry.help or "") for name, entry in self._shown()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing any."""
        found = [
            CompletionItem(name, help=entry.help)
            for name, entry in self._shown()
            if name.startswith(incomplete)
        ]
        return found or click.Command.shell_complete(self, ctx, incomplete)

    def _shown(self) -> "list[tuple[str, Entry | Group]]":
        return [(name, entry) for name, entry in self.entries.items() if not entry.hidden]


def _version_option() -> click.Parameter:
    def tell(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked:
            from importlib.metadata import version

            click.echo(f"mini-eaas {version('mini-eaas')}")
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=tell,
        help="Show the version.",
    )


def _everywhere(*, hidden: bool) -> list[click.Parameter]:
    """Return the options of every command; the innermost place where one stands wins."""
    return [
        click.Option(
            ["-o", "--output"],
            type=click.Choice(OUTPUTS),
            expose_value=False,
            callback=_noted(OUTPUT_KEY),
            help="How to print the answer; json and yaml are the REST view, unchanged.",
        ),
        click.Option(
            ["--server"],
            metavar="URL",
            expose_value=False,
            callback=_noted(SERVER_KEY),
            hidden=hidden,
            help="The controller's address (default: MINI_EAAS_SERVER, else this host's socket).",
        ),
        click.Option(
            ["--token"],
            metavar="TOKEN",
            expose_value=False,
            callback=_noted(TOKEN_KEY),
            hidden=hidden,
            help="Who asks, at an address (default: MINI_EAAS_TOKEN).",
        ),
    ]


def _noted(key: str) -> Any:
    def note(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta[key] = value

    return note
