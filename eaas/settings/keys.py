"""What can be set: a key of a settings file, its check, its default and its other names."""

from typing import Final

import msgspec

from eaas.field_checks import Check, Choice, Text
from eaas.ids import NAME_PATTERN
from eaas.log_lines import LOG_FORMATS, LOG_LEVELS


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that can be set. ``log_level`` in a file is ``--log-level`` on a command line."""

    name: str
    check: Check
    about: str = ""
    """What it means, in a few words for ``--help``."""
    metavar: str | None = None
    """How its value is called on the command line; None: it has no option there."""
    default: object = None
    """As typed; None where leaving it out means something of its own."""
    variables: tuple[str, ...] = ()
    """Variables that set it too; the one named after the key wins over them."""
    structured: bool = False
    """A variable's text is read as YAML: the value is a list or has keys of its own."""
    secret: bool = False
    """Never shown, and not taken from a file, which others might be able to read."""

    def variable(self, program: str) -> str:
        """Return the variable named after the key: ``MINI_EAAS_CONTROLLER_PORT``."""
        return f"{prefix(program)}{self.name.upper()}"

    @property
    def option(self) -> str:
        """Return how it is written on a command line."""
        return "--" + self.name.replace("_", "-")


def prefix(program: str) -> str:
    """Return how the variables of a program's settings begin."""
    return f"MINI_EAAS_{program.upper()}_"


NAME: Final = Text(
    pattern=NAME_PATTERN.pattern, rule="lower case, digits and . _ - inside", max_chars=63
)
"""Names of nodes, pools and queues."""
IMAGE_MIRROR: Final = Text(
    pattern=r"[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9][a-z0-9._-]*)*",
    rule="HOST[:PORT][/PATH] of a registry",
)
"""Where images of Docker Hub are looked for first."""

LOG_KEYS: Final = (
    Key(
        name="log_level",
        check=Choice(choices=LOG_LEVELS),
        about="how much its own log says",
        metavar="LEVEL",
        default="info",
    ),
    Key(
        name="log_format",
        check=Choice(choices=LOG_FORMATS),
        about="auto is text on a terminal and JSON lines otherwise",
        metavar="FORMAT",
        default="auto",
    ),
)
"""What every program that runs headless takes for its own log."""
