from pathlib import Path

import pytest

from eaas.settings.layers import WrongSettings
from eaas_agent.arguments import parse
from eaas_agent.config import AgentConfig, config_from, read_settings
from eaas_agent.renaming import note_name, refuse_another_name
from eaas_agent.state_folder import held_state_folder


def started(home: Path, name: str, *words: str) -> AgentConfig:
    """Start an agent whose agent.yaml says the name, as far as its name goes."""
    environ = {"MINI_EAAS_HOME": str(home)}
    (home / "agent.yaml").write_text(f"name: {name}\n")
    settings = read_settings(parse(["run", *words]), environ)
    config = config_from(settings, environ)
    refuse_another_name(settings, config, environ)
    with held_state_folder(config.state_dir):
        note_name(settings, config)
    return config


def test_a_new_name_in_the_file_is_refused_with_both_names_and_how_to_rename(
    tmp_path: Path,
) -> None:
    old = started(tmp_path, "node-a").state_dir

    with pytest.raises(WrongSettings) as refused:
        started(tmp_path, "node-b")

    said = refused.value.sentence
    assert (
        f"is the node node-a, and as node-b ({tmp_path}/agent.yaml:1) it would be a second" in said
    )
    assert "mini-eaas node remove node-a" in said
    assert not (tmp_path / "agents" / "node-b").exists()

    moved = said.partition("here mv ")[2].partition(",")[0].split()
    assert moved == [str(old), str(tmp_path / "agents" / "node-b")]
    old.rename(moved[1])
    assert started(tmp_path, "node-b").state_dir == Path(moved[1])


def test_the_same_name_again_is_no_news(tmp_path: Path) -> None:
    first = started(tmp_path, "node-a")

    assert started(tmp_path, "node-a") == first


def test_who_starts_several_agents_by_name_means_several(tmp_path: Path) -> None:
    for name in ("demo-a", "demo-b"):
        started(tmp_path, "unsaid", "--name", name)

    assert started(tmp_path, "node-a").name == "node-a"


def test_an_agent_that_runs_is_another(tmp_path: Path) -> None:
    first = started(tmp_path, "node-a")

    with held_state_folder(first.state_dir):
        assert started(tmp_path, "node-b").name == "node-b"
