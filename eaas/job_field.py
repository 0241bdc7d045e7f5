"""One thing that a job may say, and everything anyone needs to ask for it."""

from typing import Any

import msgspec

from eaas.field_checks import Check


class JobField(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a job may say, and everything anyone needs to ask for it."""

    key: str
    """As typed in YAML and JSON; dotted below ``restart``."""
    attribute: str
    """Where ``JobSpec`` keeps it, with the unit in the name."""
    label: str
    """What a form calls it."""
    check: Check
    help: str
    """One sentence, with the default where it isn't obvious."""
    default: Any = None
    """What ``JobSpec`` holds when nothing was typed."""
    flag: str | None = None
    """On the command line; None where another field's flag stands for it."""
    metavar: str = ""
    """What follows the flag; empty for one that takes no value."""
    repeated: bool = False
    """The flag may come several times; the values make a list."""
    inner: tuple["JobField", ...] = ()
    """The keys below this one."""

    @property
    def kind(self) -> str:
        """The kind of value, by which a form picks its widget."""
        return self.check.kind

    def parse(self, value: object) -> Any:
        """Return the typed value as ``JobSpec`` keeps it, or raise Wrong."""
        return self.check.read(value)
