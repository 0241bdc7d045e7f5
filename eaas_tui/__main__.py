"""Starts the console: ``eaas-tui``, or ``mini-eaas tui``."""

import gc
import os
import sys
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eaas.stdout import CannotWrite
    from eaas_tui.arguments import Arguments

NO_TERMINAL = (
    "the console needs a terminal; mini-eaas status, gpus and job list show the pool without one"
)


def main() -> None:
    """Run the console and exit with its code; ctrl+c before it is there ends it as well."""
    try:
        from eaas.stdout import written
        from eaas_tui.arguments import parsed

        sys.exit(written(lambda: run(parsed(sys.argv[1:])), _refused))
    except KeyboardInterrupt:
        from eaas.exit_codes import INTERRUPTED

        sys.exit(INTERRUPTED)


def run(arguments: "Arguments") -> int:
    """Run the console in this terminal and return the exit code."""
    gc.disable()  # until the first paint: what is imported stays, there is nothing to collect
    from eaas_tui import openssl
    from eaas_tui.later import standing_in
    from eaas_tui.terminal import block_cells, drawn_on

    if (sink := drawn_on()) is None:
        print(f"eaas-tui: {NO_TERMINAL}", file=sys.stderr)
        return 2
    prepare(os.environ)
    wide = None if arguments.ascii else block_cells(0, sink)
    if not openssl.is_needed(
        os.environ, server=arguments.server, replay=arguments.replay is not None
    ):
        openssl.leave_out()
    with standing_in():
        from eaas_tui.start import in_terminal  # imports Textual, which reads the environment once

    return in_terminal(arguments, block_cells=wide)


def _refused(error: "CannotWrite") -> int:
    from eaas.exit_codes import code_of

    print(f"eaas-tui: {error.sentence}", file=sys.stderr)
    return code_of(error)


def prepare(environ: MutableMapping[str, str]) -> None:
    """Set what Textual reads when it is imported; what a person has set stays.

    The Kitty protocol would keep input methods from typing in some terminals, and leaves
    rubbish behind after a lost connection. Animations cost bytes on a slow link.
    """
    environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")
    environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")
    environ.setdefault("ESCDELAY", "50")


if __name__ == "__main__":
    main()
