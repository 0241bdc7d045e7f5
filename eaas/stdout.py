"""How programs write to stdout where its reader may go away (``| head``) or its disk be full."""

import os
import sys
from collections.abc import Callable

from eaas.errors import EaasError
from eaas.exit_codes import DONE


class CannotWrite(EaasError):
    """The answer, or a file, could not be written to its end."""

    code = "cannot_write"


def say(text: str) -> None:
    """Print a line; to nowhere, as all that follows, once the reader has gone."""
    try:
        print(text)
    except BrokenPipeError:
        drop_stdout()


def written(main: Callable[[], int], refused: Callable[[CannotWrite], int]) -> int:
    """Return what ``main`` returns, its exit code, once all that it printed is written.

    A reader that has gone is no error. Anything else that can't be written is told by
    ``refused``, whose exit code is returned instead.
    """
    try:
        try:
            code = main()
        except SystemExit:  # argparse, after --help or a mistake
            _flush()
            raise
        return _flushed(code)
    except BrokenPipeError:
        drop_stdout()
        return DONE
    except OSError as error:
        if error.filename is not None or error.strerror is None:
            raise
        drop_stdout()
        return refused(CannotWrite(f"can't write: {error.strerror.lower()}"))


def drop_stdout() -> None:
    """Let what was not written go nowhere, or Python would try once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flushed(code: int) -> int:
    """Return the code: what a program has to say is no less true without a reader."""
    try:
        _flush()
    except BrokenPipeError:
        drop_stdout()
    return code


def _flush() -> None:
    if sys.stdout is not None:  # a program may be started without one
        sys.stdout.flush()
