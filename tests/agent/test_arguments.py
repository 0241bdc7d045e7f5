from pathlib import Path

import pytest

from eaas_agent.arguments import parse
from eaas_agent.config import Typed


def test_everything_that_can_be_typed() -> None:
    assert parse(
        [
            "run",
            *("--name", "n", "--state-dir", "/s", "--runtime", "docker", "--simulate", "2x24GiB"),
            *("--server", "/c.sock", "--token-file", "/t", "--cpus", "2.5", "--config", "/a.yaml"),
        ]
    ) == Typed(
        name="n",
        state_dir=Path("/s"),
        runtime="docker",
        simulate="2x24GiB",
        server="/c.sock",
        token_file=Path("/t"),
        cpus=2.5,
        config=Path("/a.yaml"),
    )


def test_nothing_typed_is_nothing_known() -> None:
    assert parse(["run"]) == Typed()


@pytest.mark.parametrize(
    "argv", [[], ["run", "--cpus", "many"], ["run", "--cpus", "0"], ["run", "--runtime", "podman"]]
)
def test_what_makes_no_sense_ends_with_code_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)

    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
