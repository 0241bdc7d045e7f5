import stat
from pathlib import Path

import pytest

from eaas_tui.last_submit import LastSubmit, last_submit_file
from eaas_tui.model.form import Form, form_of

SAID = {
    "name": "train",
    "command": "HF_TOKEN=secret python train.py",
    "env": {"HF_TOKEN": "secret"},
    "with": ".",
    "image": "torch:2",
    "gpus": 2,
    "labels": {"project": "qwen"},
}


def test_the_next_form_begins_with_what_the_last_one_said(tmp_path: Path) -> None:
    LastSubmit(tmp_path / "last.json").keep(form_of(SAID))

    form = LastSubmit(tmp_path / "last.json").form()

    assert form.texts == {"image": "torch:2", "gpus": "2", "labels": "project=qwen"}
    assert not form.is_dirty


def test_nothing_secret_is_kept_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "last.json"

    LastSubmit(path).keep(form_of(SAID))
    LastSubmit(path).keep(form_of(SAID))

    assert "secret" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "content", ["", "[1]", "{", "[" * 100_000, '{"gpus": 2, "env": "A=1", "x": "y"}']
)
def test_whatever_lies_there_the_form_opens(tmp_path: Path, content: str) -> None:
    path = tmp_path / "last.json"
    path.write_text(content)

    assert LastSubmit(path).form() == Form()


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    last = LastSubmit(tmp_path / "file" / "last.json")

    last.keep(form_of(SAID))

    assert last.form() == Form()


def test_everybody_has_a_file_of_their_own(tmp_path: Path) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}

    assert last_submit_file(environ, uid=7) == tmp_path / "console" / "last-submit-7.json"
    assert last_submit_file({}).name == "last-submit.json"
