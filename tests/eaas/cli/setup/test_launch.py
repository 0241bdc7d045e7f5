from pathlib import Path

import pytest

from eaas.cli.processes import running
from eaas.cli.setup.launch import main
from eaas.paths import paths_from

STARTS = ("controller", "eaas_daemon", "run", "--port", "0")


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_a_program_is_ready_when_its_start_returns_and_a_second_start_replaces_it(
    tmp_path: Path,
) -> None:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    paths = paths_from(environ)
    first = (main(STARTS, environ), running(paths, "controller"))
    answers = paths.socket.exists()
    second = (main(STARTS, environ), running(paths, "controller"))
    stopped = main(["--stop"], environ)

    assert (first[0], second[0], stopped, answers) == (0, 0, 0, True)
    assert None not in (first[1], second[1])
    assert first[1] != second[1]
    assert running(paths, "controller") is None


def test_a_program_that_ends_at_once_is_told_with_its_last_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "controller.db").mkdir()

    code = main(STARTS, {"MINI_EAAS_HOME": str(tmp_path)})

    assert code == 1
    assert "the controller ended at once with exit code 1" in capsys.readouterr().err
