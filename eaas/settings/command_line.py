"""The command line of a program that runs headless, made of its keys."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from eaas.field_checks import Check, Choice, Truth, Wrong
from eaas.paths import NoSuchPlace, path_of
from eaas.settings.host_path import HostPath
from eaas.settings.keys import Key, prefix

Verb = Literal["run", "config", "join", "check"]
Output = Literal["table", "json", "yaml"]
VERBS: Final[Mapping[Verb, str]] = {
    "run": "run in the foreground until a signal ends it",
    "config": "print every setting and where it comes from, as JSON",
}

TYPED_AS: Final = "EAAS_TYPED_AS"
"""The variable by which another program says what people typed instead of this one's name."""

SIGNALS: Final = (
    "SIGTERM and SIGINT end it (a second one at once) and jobs run on; "
    "SIGHUP reads the settings again."
)
EXIT_CODES: Final = (
    "Exit codes: 0 done, or ended by a signal; 1 refused, or could not go on; 2 the command line, "
    "a setting or a token is wrong; 69 no controller answers."
)


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the command line."""

    verb: Verb
    config: Path | None = None
    values: dict[str, object] = {}
    """Only of the keys that were typed; a value that is wrong stands here as it was typed."""
    unknown: tuple[str, ...] = ()
    """Words that mean nothing."""
    output: Output = "table"
    """How to print the answer of a verb that has one."""


def parse(
    argv: Sequence[str] | None,
    keys: Sequence[Key],
    *,
    name: str,
    program: str,
    about: str,
    more: Mapping[Verb, str] | None = None,
    reports: Sequence[Verb] = (),
) -> Typed:
    """Return what was typed; ends the program with code 2 and a sentence without a known verb.

    Mistakes in options are kept for ``settle``, which tells all there are at once.

    ``name`` is how the program is called, ``program`` the word in its file and variables; ``more``
    are verbs that only this program has, ``reports`` those that take ``-o``.
    """
    name = os.environ.pop(TYPED_AS, name)
    parser = argparse.ArgumentParser(prog=name, description=about, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    options = _options(keys, program)
    for verb, help in {**VERBS, **(more or {})}.items():
        parser_of_verb = verbs.add_parser(
            verb,
            help=help,
            description=f"{about} `{verb}`: {help}.",
            parents=[options],
            allow_abbrev=False,
            epilog=f"Whatever has no option here is set by {program}.yaml or a variable "
            f"{prefix(program)}KEY. {SIGNALS} {EXIT_CODES}",
        )
        if verb in reports:
            parser_of_verb.add_argument(
                *("-o", "--output"),
                choices=get_args(Output),
                default="table",
                help="how to print the answer (default: table)",
            )
    known, unknown = parser.parse_known_args(argv)
    found = vars(known)
    verb, config = found.pop("verb"), found.pop("config")
    output = found.pop("output", "table")
    return Typed(verb=verb, config=config, values=found, unknown=tuple(unknown), output=output)


def _options(keys: Sequence[Key], program: str) -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--config", type=Path, metavar="FILE", help=f"the settings file (default: {program}.yaml)"
    )
    for key in keys:
        if key.metavar is None:
            continue
        if isinstance(key.check, Truth):
            options.add_argument(
                key.option,
                dest=key.name,
                action="store_const",
                const=True,
                default=argparse.SUPPRESS,
                help=key.about,
            )
        else:
            options.add_argument(
                key.option,
                dest=key.name,
                type=_reader(key.check),
                metavar=_metavar(key),
                default=argparse.SUPPRESS,
                help=_help(key),
            )
    return options


def _help(key: Key) -> str:
    default = "" if key.default is None else f" (default: {key.default})"
    return f"{key.about}{default}".replace("%", "%%")


def _metavar(key: Key) -> str:
    return "|".join(key.check.choices) if isinstance(key.check, Choice) else str(key.metavar)


def _reader(check: Check) -> Callable[[str], Any]:
    """Return what turns an option's text into the value as typed; a wrong one stays as it is.

    A relative path is meant from the folder where it was typed.
    """

    def read(text: str) -> Any:
        try:
            if isinstance(check, HostPath):
                text = os.path.abspath(path_of(text))
            return check.typed(check.read(text))
        except (Wrong, NoSuchPlace):
            return text

    return read
