"""What an exit code means, the same for every program."""

from typing import Final

from eaas.errors import EaasError, Mistyped, Unreachable

DONE: Final = 0
"""All is done, or a signal ended a program that runs until one does."""
REFUSED: Final = 1
"""It was refused, or failed; what is wrong is not how it was typed."""
USAGE: Final = 2
"""The command line, a variable, a setting or a token is wrong; again will not help."""
UNREACHABLE: Final = 69
"""No controller answers."""
TIMED_OUT: Final = 124
"""The wait's own time is up."""
INTERRUPTED: Final = 130
"""Ctrl-C."""


def code_of(error: EaasError) -> int:
    """Return the exit code of a program that ends by this error."""
    if isinstance(error, Mistyped):
        return USAGE
    return UNREACHABLE if isinstance(error, Unreachable) else REFUSED
