from pathlib import Path

from eaas.settings.command_line import Typed
from eaas_agent.arguments import parse
from eaas_agent.config import config_from, read_settings
from eaas_agent.kept_options import how_to_run

WORDS = ("--server", "big", "--token", "t", "--simulate", "2x24GiB", "--cpus", "4")


def told(home: Path, *words: str) -> tuple[str, Typed]:
    """Return how an agent that joined by these words is said to be run."""
    environ = {"MINI_EAAS_HOME": str(home)}
    typed = parse(["join", *words])
    config = config_from(read_settings(typed, environ), environ)
    return how_to_run(typed, config, environ), typed


def test_the_options_of_a_join_are_those_of_the_next_run_and_no_secret_is_among_them(
    tmp_path: Path,
) -> None:
    said, typed = told(tmp_path, *WORDS, "--name", "node-x")

    file = tmp_path / "agent.yaml"
    assert said == f"its options are kept in {file}; let it work: mini-eaas agent run"
    assert (file.stat().st_mode & 0o777, "token" in file.read_text()) == (0o644, False)
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    run = read_settings(parse(["run"]), environ)
    joined = read_settings(typed, environ)
    assert {name: run[name] for name in ("name", "simulate", "cpus", "server")} == {
        "name": "node-x",
        "simulate": "2x24GiB",
        "cpus": 4,
        "server": None,
    }
    assert (joined["simulate"], joined["cpus"]) == (run["simulate"], run["cpus"])
    assert told(tmp_path, *WORDS, "--name", "node-x")[0] == "let it work: mini-eaas agent run"


def test_a_file_that_is_there_is_left_alone_and_what_it_lacks_is_to_be_typed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("cpus: 4\n")

    said, _ = told(tmp_path, *WORDS)

    assert said == "let it work: mini-eaas agent run --simulate 2x24GiB"
    assert file.read_text() == "cpus: 4\n"


def test_a_file_of_ones_own_is_named_again(tmp_path: Path) -> None:
    own = tmp_path / "own file.yaml"
    own.write_text("name: n\n")

    said, _ = told(tmp_path, "--config", str(own), "--server", "big", "--token", "t")

    assert said == f"let it work: mini-eaas agent run --config '{own}'"


def test_a_second_agent_of_a_home_does_not_speak_for_the_first(tmp_path: Path) -> None:
    (tmp_path / "agents" / "first").mkdir(parents=True)

    said, _ = told(tmp_path, *WORDS, "--name", "second")

    assert said == ("let it work: mini-eaas agent run --simulate 2x24GiB --cpus 4 --name second")
    assert not (tmp_path / "agent.yaml").exists()


def test_a_folder_that_can_not_be_written_leaves_the_options_to_be_typed(
    tmp_path: Path,
) -> None:
    (tmp_path / "home").write_text("no folder")

    said, _ = told(tmp_path / "home", "--server", "big", "--token", "t", "--name", "n")

    assert said == "let it work: mini-eaas agent run --name n"
