import json
from pathlib import Path

from tests.eaas.cli.conftest import Type


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


def test_a_file_is_read_as_the_watched_folder_does(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\nwith: .\n")
    said = typing("folder", "check", str(tmp_path / "a.yaml"))

    assert said.code == 1
    assert "a watched folder takes no folders along" in said.err


def test_orders_are_checked_too(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("cancel: [42, 43]\npriority: {44: 10}\n")
    (tmp_path / "7.cancel").touch()
    (tmp_path / "b.yaml").write_text("cancel: all\n")
    files = [str(tmp_path / name) for name in ("a.yaml", "7.cancel")]

    assert typing("folder", "check", *files).out == (
        f"{files[0]}: cancel job 42, cancel job 43, job 44 to priority 10\n"
        f"{files[1]}: cancel job 7\n"
    )
    assert typing("folder", "check", str(tmp_path / "b.yaml")).code == 1


def test_a_file_that_is_too_large_is_told_so(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("#" * 300_000)

    assert "256 KiB at most" in typing("folder", "check", str(tmp_path / "a.yaml")).err
