import json
from pathlib import Path

from tests.eaas.cli.conftest import Type


def test_good_job_files_are_counted(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\n---\ncommand: b\n")
    said = typing("folder", "check", str(tmp_path / "a.yaml"))

    assert (said.code, said.out) == (0, f"{tmp_path}/a.yaml: 2 jobs\n")
    assert said.err.startswith("no pool was asked, only the files themselves were checked: ")


def test_every_mistake_of_every_file_is_named_at_once(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("command: a\ngpuz: 1\n")
    (tmp_path / "b.yaml").write_text("command: a\ncpus: lots\n")
    files = (str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))
    said = typing("folder", "check", *files, "-o", "json")

    first, second = json.loads(said.out)["items"]
    assert (said.code, said.err) == (1, "")
    assert (first["file"], second["file"]) == files
    assert [(e["field"], e["line"]) for e in first["errors"]] == [("gpuz", 2)]
    assert [(e["field"], e["line"]) for e in second["errors"]] == [("cpus", 2)]
    assert typing("folder", "check", str(tmp_path / "nowhere.yaml")).code == 2


def test_people_are_told_which_file_has_the_mistakes(typing: Type, tmp_path: Path) -> None:
    one, two = tmp_path / "a.yaml", tmp_path / "b.yaml"
    one.write_text("command: a\ngpuz: 1\ncpus: lots\n")
    two.write_text("command: a\ncpus: lots\n")

    first, second, _ = typing("folder", "check", str(one)).err.splitlines()
    assert typing("folder", "check", str(one)).out == ""
    assert first.startswith(f"{one}:2:1: gpuz: no such key")
    assert second.startswith(f"{one}:3:7: cpus: ")
    assert f"{two}:2:7: cpus" in typing("folder", "check", str(one), str(two)).err


def test_a_bad_file_hides_nothing_of_the_good_ones(typing: Type, tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("good.yaml", "bad.yaml", "fine.yaml")]
    for path in names:
        path.write_text("gpuz: 1\n" if path.name == "bad.yaml" else "command: a\n")

    said = typing("folder", "check", *map(str, names))

    assert said.code == 1
    assert said.out == f"{names[0]}: 1 job\n{names[2]}: 1 job\n"
    assert all(line.startswith(f"{names[1]}:") for line in said.err.splitlines()[:-1])
    items = json.loads(typing("folder", "check", *map(str, names), "-o", "json").out)["items"]
    assert [len(item["jobs"]) for item in items] == [1, 0, 1]
    assert [bool(item["errors"]) for item in items] == [False, True, False]


def test_in_a_file_of_several_documents_a_mistake_tells_its_own(
    typing: Type, tmp_path: Path
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("command: a\n---\ncommand: b\ngpuz: 1\n")

    said = typing("folder", "check", str(path))

    assert said.err.startswith(f"{path}:4:1: in the document from line 3: gpuz: no such key")


def test_a_cancel_file_that_names_no_job_is_told_how_to(typing: Type, tmp_path: Path) -> None:
    (tmp_path / "m4.cancel").touch()

    said = typing("folder", "check", str(tmp_path / "m4.cancel"))

    assert said.code == 1
    assert "name it JOB.cancel, like 42.cancel" in said.err


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

    said = typing("folder", "check", str(tmp_path / "a.yaml")).err
    assert said.startswith(f"{tmp_path}/a.yaml is ")
    assert "a job file is 256 KiB at most\n" in said
