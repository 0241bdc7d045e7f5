"""How a command ends when it does not end well: the exit code, and one error on stderr."""

import sys
from collections.abc import Sequence
from typing import Final

import click

from eaas.cli.group import OUTPUTS
from eaas.errors import EaasError, Invalid, Mistyped, Unauthenticated
from eaas.exit_codes import TIMED_OUT, code_of

WITH_TOKEN: Final = "--token or MINI_EAAS_TOKEN gives one"


class WaitedTooLong(EaasError):
    """A wait's own time is up; the job runs on."""

    code = "wait_timed_out"
    http_status = 504


class Usage(Mistyped):
    """The command line itself is wrong."""

    code = "usage"


def report(error: EaasError | click.ClickException, argv: Sequence[str]) -> int:
    """Print the error the way the line asked for and return the exit code."""
    format = wanted_output(argv)
    if format != "table":
        known = error if isinstance(error, EaasError) else Usage(error.format_message())
        print(_problem(known, format), file=sys.stderr, end="")
    elif isinstance(error, EaasError):
        print(_for_people(error), file=sys.stderr)
    else:
        error.show(sys.stderr)
    return exit_code(error)


def exit_code(error: EaasError | click.ClickException) -> int:
    """Return the documented exit code of the error."""
    if isinstance(error, click.ClickException):
        return error.exit_code
    return TIMED_OUT if isinstance(error, WaitedTooLong) else code_of(error)


def wanted_output(argv: Sequence[str]) -> str:
    """Return the format the line asks for, even when the rest of it can't be parsed."""
    own = list(argv)[: argv.index("--")] if "--" in argv else list(argv)
    wanted = "table"
    for position, word in enumerate(own):
        following = own[position + 1] if position + 1 < len(own) else ""
        if word in ("-o", "--output"):
            wanted = following
        elif word.startswith("--output="):
            wanted = word.removeprefix("--output=")
        elif word.startswith("-o") and len(word) > 2:
            wanted = word[2:].removeprefix("=")
    return wanted if wanted in OUTPUTS else "table"


def _for_people(error: EaasError) -> str:
    from eaas.problem import mistake_text
    from eaas.safe_text import safe_text

    if isinstance(error, Invalid) and len(error.errors) > 1:
        listed = [f"  {mistake_text(mistake)}" for mistake in error.errors]
        head = f"{error.where or 'this'} is not right yet:"
        return safe_text("\n".join([head, *listed]), keep_newlines=True)
    if isinstance(error, Unauthenticated):
        return safe_text(f"{error.sentence}\n{WITH_TOKEN}", keep_newlines=True)
    return safe_text(error.sentence, keep_newlines=True)


def _problem(error: EaasError, format: str) -> str:
    import msgspec

    from eaas.cli.output import as_yaml, escaped
    from eaas.problem import problem_from

    problem = problem_from(error)
    if format == "yaml":
        return as_yaml(problem)
    return escaped(msgspec.json.encode(problem).decode()) + "\n"
