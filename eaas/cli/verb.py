"""A command that has others below it: ``book`` books, ``book list`` lists."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from eaas.cli.group import Entry, Group

_VALUED: Final = ("-o", "--output", "--server", "--token")
"""What may stand before the name of a command and takes the word behind it."""


class Verb(Group):
    """Does something by itself, unless the first word names one of the commands below it."""

    def __init__(self, name: str, itself: Entry, entries: Mapping[str, Entry | Group]) -> None:
        super().__init__(name, itself.help, entries)
        self._itself: Final = itself

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the command that is meant."""
        if extra.get("resilient_parsing") or _first_word(args) in self.entries:
            return super().make_context(info_name, args, parent, **extra)
        return self._itself.load().make_context(info_name, args or ["--help"], parent, **extra)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names below, and what the command itself takes."""
        return [
            *super().shell_complete(ctx, incomplete),
            *self._itself.load().shell_complete(ctx, incomplete),
        ]


def _first_word(args: Sequence[str]) -> str | None:
    """Return the first word that is neither an option that any command has nor its value."""
    skip = False
    for word in args:
        if skip or word.partition("=")[0] in _VALUED:
            skip = not skip and "=" not in word
            continue
        return word
    return None
