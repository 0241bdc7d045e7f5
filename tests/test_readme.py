"""What the README tells people to type exists, with these options."""

import re
import shlex
from pathlib import Path
from typing import Final

import click
import pytest

from eaas.cli.main import CLI
from eaas.folder_file import read_folder_file
from eaas.job_file import read_job_file

ROOT: Final = Path(__file__).parents[1]
README: Final = (ROOT / "README.md").read_text()
SHOWN: Final = re.findall(r"^\.venv/bin/mini-eaas (.+)$", README, re.MULTILINE)
QUOTED: Final = re.findall(r"`mini-eaas ([^`]+)`", README)


@pytest.mark.parametrize("line", [*SHOWN, *QUOTED])
def test_every_command_in_the_readme_can_be_typed(line: str) -> None:
    command: click.Command = CLI
    context: click.Context | None = None
    words = shlex.split(line, comments=True)
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context)
        found = command.get_command(context, words.pop(0))
        assert found is not None
        command = found

    command.make_context(command.name, words, parent=context)


def test_the_job_files_in_the_readme_are_right_ones() -> None:
    submitted, dropped = re.findall(r"^```yaml\n(.*?)^```", README, re.MULTILINE | re.DOTALL)

    (document,) = read_job_file(submitted)
    first, second = read_folder_file(dropped, name="finetune.yaml").jobs

    assert document.spec.name == first.spec.name == "finetune"
    assert (first.log, second.log) == (True, None)
    assert dropped.startswith("# yaml-language-server: $schema=job.schema.json\n")
