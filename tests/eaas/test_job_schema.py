import json
import re
from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.folder_file import read_folder_file
from eaas.job_fields import FIELDS
from eaas.job_schema import job_schema
from eaas.yaml_tree import read_trees
from tests.rig.json_schema import accepts

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
        assert str(property_of(key)["description"]).startswith(field.help)


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
    ],
)
def test_a_pattern_tells_right_from_wrong(key: str, right: str, wrong: str) -> None:
    pattern = str(property_of(key)["pattern"])

    assert re.search(pattern, right)
    assert not re.search(pattern, wrong)


@pytest.mark.parametrize(
    ("typed", "is_right"),
    [
        ("0-9,12", True),
        ("0-99%8", True),
        ("0-10:2, 5 % 2", True),
        ([1, 3, "5-9"], True),
        ("a", False),
        ("0-9%0", False),
        ([], False),
        ([-1], False),
        (10, False),
    ],
)
def test_the_schema_takes_an_array_as_the_job_file_does(typed: object, is_right: bool) -> None:
    assert accepts({"image": "a", "array": typed}, job_schema()) is is_right


def test_what_needs_something_else_says_so() -> None:
    assert not accepts({"image": "a", "gpu_type": "H200"}, job_schema())
    assert not accepts({"image": "a", "gpus": 1, "share": True}, job_schema())
    assert accepts({"image": "a", "gpus": 1, "gpu_type": "H200"}, job_schema())


@pytest.mark.parametrize(
    "text",
    [
        *("command: a\n", "image: a\npriority: 5\n", "image: a\nkey: k\nlog: false\n"),
        *("cancel: 42\n", "cancel: [42, '43']\n", "cancel: 42, 43\n"),
        *("priority: {42: 10}\n", "cancel: 1\npriority: {2: -5, '3': 0}\n"),
        *("cancel: all\n", "cancel: true\n", "cancel: 0\n", "priority: 5\n", "gpus: 1\n"),
        *("priority: {42: 1000}\n", "priority: {x: 1}\n", "cancel: 1\npriority: 5\n"),
        *("cancel: 1\nimage: a\n", "image: a\npriority: {42: 10}\n", "image: a\nlogs: true\n"),
    ],
)
def test_editors_and_the_watched_folder_agree_on_what_is_right(text: str) -> None:
    (tree,) = read_trees(text)
    try:
        read_folder_file(text, name="a.yaml")
        taken = True
    except Invalid:
        taken = False

    assert accepts(tree.value, job_schema()) is taken
