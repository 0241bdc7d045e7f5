import json
from pathlib import Path

import msgspec
import pytest

from tests.eaas.cli.conftest import Type
from tests.eaas.cli.test_system import STATUS
from tests.rig.stand_in import StandIn


def test_everything_is_shown_with_where_it_lies_and_where_it_is_from(
    typing: Type, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "controller.yaml").write_text("\nlog_level: debug\n")
    monkeypatch.setenv("MINI_EAAS_CONTROLLER_PORT", "7471")
    monkeypatch.setenv("MINI_EAAS_TOKEN", "hush")

    lines = [line.split(maxsplit=2) for line in typing("config", "show").out.splitlines()]
    shown = json.loads(typing("config", "show", "-o", "json").out)

    assert ["home:", str(home)] in lines
    assert ["controller:", f"{home}/controller.yaml"] in lines
    assert ["log_level", "debug", f"{home}/controller.yaml:2"] in lines
    assert ["port", "7471", "$MINI_EAAS_CONTROLLER_PORT"] in lines
    assert ["journal_days", "90", "default"] in lines
    assert ["agent:", "no", f"file ({home}/agent.yaml would be read)"] in lines
    assert ["token", "(hidden)", "$MINI_EAAS_TOKEN"] in lines
    assert shown["home"] == str(home)
    assert shown["server"] == shown["socket"] == str(home / "controller.sock")
    assert shown["controller"]["file"] == f"{home}/controller.yaml"
    assert {"key": "keep", "value": None, "source": "default"} in shown["agent"]["settings"]


def test_one_program_is_shown_as_these_options_would_start_it(typing: Type, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("name: n\n")
    said = typing("config", "show", "agent", "--config", str(file), "--cpus", "2", "-o", "json")

    shown = json.loads(said.out)
    assert shown["program"] == "agent"
    assert shown["settings"][0] == {"key": "name", "value": "n", "source": f"{file}:1"}
    assert {"key": "cpus", "value": 2, "source": "--cpus"} in shown["settings"]


def test_mistakes_are_told_instead(typing: Type, home: Path) -> None:
    (home / "agent.yaml").write_text("nmae: n\ncpus: no\n")

    said = typing("config", "show")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines() == [
        "this is not right yet:",
        f"  {home}/agent.yaml:1:1: nmae: there is no such key; did you mean name?",
        f"  {home}/agent.yaml:2:7: cpus: must be a number from 0.01 to 4096, not 'no'",
    ]
    both = typing("config", "show", "agent", "--nonsense", "--cpus", "x")
    assert (both.code, len(both.err.splitlines())) == (2, 5)
    assert "--nonsense: there is no such option" in both.err
    assert typing("config", "show", "console").code == 2


def test_whose_settings_these_are_is_said_where_commands_go_to_another_controller(
    typing: Type, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typing("config", "show").err == ""

    monkeypatch.setenv("MINI_EAAS_SERVER", "http://127.0.0.1:9")
    said = typing("config", "show", "-o", "json")

    assert said.err.startswith("these are the settings of programs that you start yourself; ")
    assert "go to the controller at http://127.0.0.1:9, which has its own" in said.err
    assert json.loads(said.out)["inbox"] == str(home / "inbox")


def test_a_controller_that_listens_on_another_port_than_is_set_is_told_of(
    typing: Type, home: Path, controller: StandIn
) -> None:
    in_use = msgspec.structs.replace(STATUS, address="http://127.0.0.1:7470")
    controller.answers["GET /api/v1/status"] = in_use
    assert typing("config", "show").err == ""

    (home / "controller.yaml").write_text("port: 7999\n")
    (line,) = typing("config", "show").err.splitlines()
    assert "listens on http://127.0.0.1:7470, not on port 7999" in line

    (home / "controller.yaml").write_text("port: 7470\n")
    assert typing("config", "show").err == ""
