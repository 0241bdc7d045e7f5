"""Runs the console in a terminal, and says in a sentence why it ended when no key ended it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from eaas.paths import paths_from
from eaas.safe_text import safe_text
from eaas_tui.app import ConsoleApp
from eaas_tui.arguments import Arguments
from eaas_tui.ending import Ending
from eaas_tui.glyphs import glyphs_for


def in_terminal(arguments: Arguments, *, block_cells: int | None) -> int:
    """Run until a person leaves or something ends it; return the exit code."""
    glyphs = glyphs_for(
        ascii_only=arguments.ascii or bool(os.environ.get("MINI_EAAS_ASCII")),
        encoding=sys.__stderr__.encoding if sys.__stderr__ is not None else "utf-8",
        block_cells=block_cells,
    )
    log_file = log_file_of(os.environ)
    app = ConsoleApp(arguments, environ=os.environ, glyphs=glyphs, log_file=log_file)
    Ending(app.end).listen(0)
    app.run(mouse=arguments.mouse)
    if app.crash is not None:
        print(f"eaas-tui: a mistake in the console ended it; see {log_file}", file=sys.stderr)
    elif app.failure is not None:
        print(f"eaas-tui: {safe_text(app.failure)}", file=sys.stderr)
    return app.return_code or 0


def log_file_of(environ: Mapping[str, str]) -> Path:
    """Return where the console writes what went wrong in it: the person's own file."""
    if environ.get("MINI_EAAS_HOME"):
        return paths_from(environ).home / "console" / f"console-{os.getuid()}.log"
    import platformdirs  # only here: a home that is given needs no search

    return Path(platformdirs.user_state_path("mini-eaas")) / "console.log"
