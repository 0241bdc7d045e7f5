from pathlib import Path

import pytest

from eaas.settings.command_line import Typed
from eaas_daemon.arguments import parse


def test_run_takes_settings_and_leaves_the_others_unsaid() -> None:
    assert parse(["run", "--config", "c.yaml", "--port", "0"]) == Typed(
        verb="run", config=Path("c.yaml"), values={"port": 0}
    )
    assert parse(["config", "--listen", "::1"]) == Typed(verb="config", values={"listen": "::1"})


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["walk"],
        ["run", "--port"],
    ],
)
def test_a_wrong_command_line_is_refused_with_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(argv)

    assert ended.value.code == 2
    assert "usage: eaas-daemon" in capsys.readouterr().err
