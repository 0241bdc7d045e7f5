from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.settings.command_line import Typed
from eaas_daemon.config import ControllerConfig, config_from, read_settings
from eaas_daemon.intake.settings import FolderSettings


def configured(environ: dict[str, str], **typed: object) -> ControllerConfig:
    return config_from(read_settings(Typed(verb="run", values=typed), environ))


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert configured({"MINI_EAAS_HOME": str(tmp_path)}) == ControllerConfig()


def test_the_command_line_has_the_last_word_where_it_says_something(tmp_path: Path) -> None:
    (tmp_path / "controller.yaml").write_text("port: 7000\njournal_days: 7\nfolders: [/srv/x]\n")
    environ = {"MINI_EAAS_HOME": str(tmp_path), "MINI_EAAS_CONTROLLER_LOG_BUDGET_MIB": "5"}

    assert configured(environ, port=0, listen="127.0.0.2") == ControllerConfig(
        port=0,
        listen="127.0.0.2",
        journal_days=7,
        log_budget_mib=5,
        folders=(FolderSettings(path=Path("/srv/x")),),
    )


def test_where_the_settings_lie_is_not_watched(tmp_path: Path) -> None:
    file = tmp_path / "controller.yaml"
    file.write_text(f"folders: [/srv/x, {tmp_path}]\n")

    with pytest.raises(Invalid) as refusal:
        configured({"MINI_EAAS_HOME": str(tmp_path)})

    why = "holds controller.yaml, which is no job: name another"
    assert str(refusal.value) == f"{file}:1: folders: {tmp_path} {why}"
