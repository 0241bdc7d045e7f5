"""What the console can be told when it is started."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from argparse import ArgumentParser  # most start the console with no argument at all

THEMES: Final = ("dark", "light", "contrast", "ansi16")
"""The first is what one gets."""
SLOW_THEME: Final = "ansi16"
"""The colours with the shortest names, for a slow link where no theme is asked for."""


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """One start of the console, as it was asked for."""

    view_only: bool = False
    """Look, but change nothing."""
    record: Path | None = None
    replay: Path | None = None
    theme: str = THEMES[0]
    ascii: bool = False
    """Draw with ASCII only, for terminals and fonts without the rest."""
    mouse: bool = True
    slow: bool = False
    """Draw what is live only every few seconds, for a link of a few KB/s."""
    server: str | None = None
    token: str | None = None


def parsed(argv: Sequence[str]) -> Arguments:
    """Return what the line asks for; a mistake or ``--help`` ends the program, as argparse does."""
    if not argv:
        return Arguments()
    given = vars(_parser().parse_args(argv))
    given["theme"] = given["theme"] or (SLOW_THEME if given["slow"] else THEMES[0])
    return Arguments(**given)


def _parser() -> "ArgumentParser":
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="eaas-tui",
        description="The full-screen console of a Mini EaaS pool.",
        epilog="Inside it, ? shows the keys.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--view-only", action="store_true", help="look, but change nothing")
    source = parser.add_mutually_exclusive_group()
    kept = "keep what is seen in a new file"
    source.add_argument("--record", type=Path, metavar="FILE", help=kept)
    source.add_argument("--replay", type=Path, metavar="FILE", help="show what a file has kept")
    add("--theme", choices=THEMES, help=f"how it looks (default: {THEMES[0]})")
    add("--ascii", action="store_true", help="draw with ASCII only")
    add("--no-mouse", dest="mouse", action="store_false", help="leave the mouse to the terminal")
    add("--slow", action="store_true", help="draw less often, for a slow link")
    add("--server", metavar="URL", help="where the controller is (default: $MINI_EAAS_SERVER)")
    add("--token", metavar="T", help="who asks there (default: $MINI_EAAS_TOKEN)")
    return parser
