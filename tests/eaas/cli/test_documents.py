import json
from pathlib import Path

from eaas.job_schema import job_schema
from tests.eaas.cli.conftest import Type


def test_the_schema_is_printed_for_editors(typing: Type) -> None:
    expected = json.loads(json.dumps(job_schema()))

    assert json.loads(typing("schema", "job").out) == expected
    assert json.loads(typing("schema", "job", "-o", "json").out) == expected


def test_good_job_files_are_counted(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\n---\ncommand: b\n")
    said = typing("folder", "check", str(tmp_path / "a.yaml"))

    assert said == type(said)(0, f"{tmp_path}/a.yaml: 2 jobs\n", "")


def test_every_mistake_of_every_file_is_named_at_once(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\ngpuz: 1\n")
    (tmp_path / "b.yaml").write_text("command: a\ncpus: lots\n")
    files = (str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))
    said = typing("folder", "check", *files, "-o", "json")

    assert (said.code, said.out) == (1, "")
    assert [error["field"] for error in json.loads(said.err)["errors"]] == ["gpuz", "cpus"]
    assert "a.yaml" in json.loads(said.err)["detail"]
    assert typing("folder", "check", str(tmp_path / "nowhere.yaml")).code == 2


def test_people_are_told_which_file_has_the_mistakes(typing: Type, tmp_path: Path) -> None:
    one, two = tmp_path / "a.yaml", tmp_path / "b.yaml"
    one.write_text("command: a\ngpuz: 1\ncpus: lots\n")
    two.write_text("command: a\ncpus: lots\n")

    alone = typing("folder", "check", str(one)).err.splitlines()
    assert alone[0] == f"{one} is not right yet:"
    assert alone[1].startswith("  line 2, column 1: gpuz:")
    assert f"{two}: cpus" in typing("folder", "check", str(one), str(two)).err
