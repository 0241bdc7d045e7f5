from pathlib import Path

import pytest

from eaas_daemon.arguments import parse


def test_run_takes_settings_and_leaves_the_others_unsaid() -> None:
    arguments = parse(["run", "--config", "c.yaml", "--port", "0"])

    assert (arguments.command, arguments.config, arguments.port) == ("run", Path("c.yaml"), 0)
    assert (arguments.listen, arguments.log_level) == (None, None)


@pytest.mark.parametrize(
    "argv", [[], ["walk"], ["run", "--port", "x"], ["run", "--log-level", "x"]]
)
def test_a_wrong_command_line_is_refused_with_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(argv)

    assert ended.value.code == 2
    assert "usage: eaas-daemon" in capsys.readouterr().err
