from pathlib import Path

import pytest

from eaas.settings.command_line import Typed
from eaas_agent.arguments import parse


def test_everything_that_can_be_typed() -> None:
    assert parse(
        [
            "run",
            *("--name", "n", "--state-dir", "/s", "--runtime", "docker", "--simulate", "2x24GiB"),
            *("--server", "/c.sock", "--token-file", "/t", "--cpus", "2.5", "--config", "/a.yaml"),
            *("--log-level", "debug", "--log-format", "json"),
        ]
    ) == Typed(
        verb="run",
        config=Path("/a.yaml"),
        values={
            "name": "n",
            "state_dir": "/s",
            "runtime": "docker",
            "simulate": "2x24GiB",
            "server": "/c.sock",
            "token_file": "/t",
            "cpus": 2.5,
            "log_level": "debug",
            "log_format": "json",
        },
    )


def test_nothing_typed_is_nothing_known() -> None:
    assert parse(["run"]) == Typed(verb="run")


@pytest.mark.parametrize("argv", [[], ["walk"], ["run", "--cpus"]])
def test_what_makes_no_sense_ends_with_code_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)

    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
