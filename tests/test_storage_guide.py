"""What the guide to storage tells people to write is right."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from eaas.job_file import read_job_file
from eaas.job_mounts import Mounts, mount_ask
from eaas_agent.named_folders import NamedFolders

GUIDE: Final = (Path(__file__).parents[1] / "docs" / "storage.md").read_text()
BLOCKS: Final = re.findall(r"^ *```yaml\n(.*?)^ *```", GUIDE, re.MULTILINE | re.DOTALL)
SETTINGS: Final = [block for block in BLOCKS if block.lstrip().startswith("mounts:\n")]
JOBS: Final = [block for block in BLOCKS if block not in SETTINGS]


@pytest.mark.parametrize("block", SETTINGS)
def test_what_goes_into_agent_yaml_is_taken_as_it_stands(block: str) -> None:
    typed: dict[str, Any] = yaml.safe_load(block)["mounts"]

    assert NamedFolders().typed(NamedFolders().read(typed)) == typed


def test_the_job_file_is_a_right_one() -> None:
    (block,) = JOBS
    (document,) = read_job_file(block)

    assert mount_ask(document.spec.mounts[0]).name == "nas"


def test_every_key_is_explained_and_no_other() -> None:
    schema = NamedFolders().schema()["additionalProperties"]
    assert isinstance(schema, dict)
    keys = set(schema["anyOf"][1]["properties"])

    section = GUIDE.partition("## What an entry may say")[2].partition("\n## ")[0]
    explained = set(re.findall(r"^\| `(\w+)", section, re.MULTILINE))

    assert explained == keys


@pytest.mark.parametrize(
    "asked", re.findall(r"`(?:job submit --mount )?(\w+:/\w+(?::ro)?)`", GUIDE)
)
def test_every_mount_that_is_asked_for_can_be(asked: str) -> None:
    assert Mounts().read([asked]) == (asked,)
