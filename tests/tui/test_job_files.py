from pathlib import Path

import pytest

from eaas.errors import Invalid, TooLarge
from eaas.job_file import MAX_BYTES
from eaas_tui.job_files import NOTHING_YET, NoFile, read_form, write_form
from eaas_tui.model.form import Form, form_of


def test_a_folder_in_a_file_is_seen_from_where_the_person_is(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("command: a\nwith: src\n---\ncommand: b\n")

    form, count = read_form(str(tmp_path / "job.yaml"))

    assert form.text("with") == str(tmp_path / "src")
    assert (count, form.is_dirty) == (2, False)


def test_what_was_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    form = form_of({"command": "a\nb\n", "with": ".", "gpus": 1})

    path = write_form("job.yaml", form, overwrite=False)
    again, _ = read_form(str(path))

    assert again.texts == {**form.texts, "with": str(tmp_path)}


def test_a_file_that_is_there_is_not_overwritten_unasked(tmp_path: Path) -> None:
    name = str(tmp_path / "job.yaml")
    write_form(name, form_of({"command": "a"}), overwrite=False)

    with pytest.raises(NoFile, match="already"):
        write_form(name, Form(), overwrite=False)
    write_form(name, Form(), overwrite=True)

    assert Path(name).read_text() == NOTHING_YET


@pytest.mark.parametrize("name", ["none.yaml", ".", "x" * 300])
def test_what_is_no_file_is_said_to_be_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoFile):
        read_form(str(tmp_path / name))


def test_mistakes_and_sizes_are_the_job_files_own(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("gpus: many\n")
    (tmp_path / "big.yaml").write_text("#" * (MAX_BYTES + 10))

    with pytest.raises(Invalid, match=r"bad\.yaml: line 1"):
        read_form(str(tmp_path / "bad.yaml"))
    with pytest.raises(TooLarge):
        read_form(str(tmp_path / "big.yaml"))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoFile, match=r"can't write .*: no such file or directory"):
        write_form(str(tmp_path / "no" / "job.yaml"), Form(), overwrite=False)
