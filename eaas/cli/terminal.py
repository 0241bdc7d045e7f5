"""Tables and facts on a terminal, with colours for the words that have one."""

from collections.abc import Mapping
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from eaas.cli.output import Facts, Table
from eaas.safe_text import safe_text

STYLES: Final[Mapping[str, str]] = {
    "Running": "green",
    "Succeeded": "green",
    "Ready": "green",
    "free": "green",
    "Starting": "cyan",
    "Stopping": "yellow",
    "held": "cyan",
    "shared": "cyan",
    "Pending": "yellow",
    "Draining": "yellow",
    "Unassigned": "yellow",
    "NeedsUpgrade": "yellow",
    "foreign": "yellow",
    "dirty": "yellow",
    "Unknown": "magenta",
    "unknown": "magenta",
    "Offline": "red",
    "Failed": "red",
    "TimedOut": "red",
    "sick": "red",
    "Cancelled": "dim",
    "excluded": "dim",
}
"""The colour of a cell that is, or begins with, one of these words."""


def draw(block: Table | Facts, stream: TextIO) -> None:
    """Draw the block as wide as the terminal is."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    if isinstance(block, Facts):
        table.show_header = False
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        rows = [(name, value) for name, value in block.pairs if value is not None]
        for name, value in rows:
            table.add_row(Text(name), _cell(value))
    else:
        for column in block.columns:
            table.add_column(Text(column), overflow="fold")
        for row in block.rows:
            table.add_row(*map(_cell, row))
    console.print(table)


def _cell(value: str | None) -> Text:
    if value is None or value == "":
        return Text("-", style="dim")
    text = safe_text(value)
    return Text(text, style=STYLES.get(text.partition(" ")[0].rstrip(","), ""))
