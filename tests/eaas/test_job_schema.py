import json
import re
from pathlib import Path

import pytest

from eaas.job_fields import FIELDS
from eaas.job_schema import job_schema

SCHEMA_FILE = Path(__file__).parents[2] / "config" / "job.schema.json"


def property_of(key: str) -> dict[str, object]:
    properties = job_schema()["properties"]
    assert isinstance(properties, dict)
    found = properties[key]
    assert isinstance(found, dict)
    return found


def test_the_schema_editors_load_is_the_one_the_table_makes() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == job_schema(), (
        "write it anew: mini-eaas schema job > config/job.schema.json"
    )


def test_every_field_is_described() -> None:
    for key, field in FIELDS.items():
        assert property_of(key)["description"] == field.help


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("name", "finetune qwen", "-x"),
        ("queue", "pool/train", "a/b/c"),
        ("image", "pytorch/pytorch:latest", "a b"),
        ("gpu_memory", "20GiB", "20"),
        ("memory", "1.5 gb", "-1GiB"),
        ("timeout", "1h30m", "90"),
        ("run_as", "1000:1000", "root"),
        ("array", "0-9,12", "a"),
    ],
)
def test_a_pattern_tells_right_from_wrong(key: str, right: str, wrong: str) -> None:
    pattern = str(property_of(key)["pattern"])

    assert re.search(pattern, right)
    assert not re.search(pattern, wrong)


def test_what_needs_something_else_says_so() -> None:
    assert job_schema()["dependentRequired"] == {
        "gpu_type": ["gpus"],
        "gpu_memory": ["gpus"],
        "share": ["gpu_memory"],
    }
