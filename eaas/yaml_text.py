"""Writing YAML as a person would: scripts as blocks, and every text readable as itself."""

from collections.abc import Mapping
from typing import Final

import yaml

_OTHER_BREAKS: Final = ("\r", "\x85", "\u2028", "\u2029")
"""What YAML takes for the end of a line besides a newline; only double quotes keep them."""


class _Dumper(yaml.SafeDumper):
    """Knows when a text must be quoted, and when a block reads best."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if any(mark in text for mark in _OTHER_BREAKS):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def yaml_text(fields: Mapping[str, object], *, width: int = 100) -> str:
    """Return the fields as YAML, in their order; reading it gives the same values."""
    return yaml.dump(dict(fields), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)
