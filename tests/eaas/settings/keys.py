"""Keys of an imagined program ``lamp``, and what is said of a mistake in a program's file."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.field_checks import Choice, Text, Whole
from eaas.job_lists import Labels
from eaas.settings.host_path import HostPath
from eaas.settings.keys import Key
from eaas.settings.layers import settle

KEYS = (
    Key(name="port", check=Whole(minimum=0, maximum=65535), metavar="N", default=70, about="its"),
    Key(name="place", check=HostPath(), metavar="DIR"),
    Key(name="level", check=Choice(choices=("low", "high")), metavar="LEVEL", default="low"),
    Key(name="labels", check=Labels(), default={}, structured=True),
    Key(
        name="secret",
        check=Text(pattern="[a-z]+", rule="lower case"),
        variables=("LAMP_SECRET",),
        secret=True,
    ),
)


def refusal_of(keys: Sequence[Key], folder: Path, line: str) -> str:
    """Return what is said of a settings file with this one line, which has a mistake."""
    file = folder / "program.yaml"
    file.write_text(line)
    with pytest.raises(Invalid) as caught:
        settle("program", keys, file=file, environ={}, typed={})
    assert str(caught.value).startswith(f"{file}:1:")
    return str(caught.value)
