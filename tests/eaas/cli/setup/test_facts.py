import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.cli.setup.facts import (
    Asked,
    OwnAgent,
    last_words,
    own_environ,
    read_facts,
    service_manager,
)
from eaas.cli.setup.places import Places, Role, places_for
from eaas.tokens import new_token

BIN = Path(sys.executable).parent


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def places_in(home: Path, role: Role = "controller") -> Places:
    """Return where a person's things would lie, with the programs of this environment."""
    environ = {"MINI_EAAS_HOME": str(home), "HOME": str(home)}
    found = places_for(role, home, environ, for_user=True)
    return replace(found, bin=BIN)


def manager_that_says(tools: Path, word: str) -> str:
    (tools / "systemctl").write_text(f"#!/bin/sh\necho {word}\n")
    (tools / "systemctl").chmod(0o755)
    return service_manager(for_user=False)


def test_only_a_systemd_at_work_is_one(tools: Path) -> None:
    assert manager_that_says(tools, "degraded") == "system"
    assert service_manager(for_user=True) == "user"
    assert manager_that_says(tools, "offline") == "none"


def test_a_clean_home_has_nothing_in_it_yet(tmp_path: Path, tools: Path) -> None:
    manager_that_says(tools, "offline")
    places = places_in(tmp_path / "new")

    facts = read_facts(Asked(port=1), places, places_in(tmp_path, "agent"), os.environ)

    assert (facts.has_settings, facts.has_data, facts.answers) == (False, False, False)
    assert (facts.manager, facts.user, facts.agent_here) == ("none", "none", False)
    assert facts.free_mib is not None
    assert not (tmp_path / "new").exists()


def test_settings_are_what_the_program_makes_of_them(tmp_path: Path, tools: Path) -> None:
    manager_that_says(tools, "offline")
    places, agent = places_in(tmp_path), places_in(tmp_path, "agent")
    places.settings.write_text("port: 7999\nnames: [pool]\n")
    right = read_facts(Asked(), places, agent, os.environ)
    places.settings.write_text("prot: 7999\n")
    wrong = read_facts(Asked(), places, agent, os.environ)

    assert (right.settings["port"], right.settings["names"]) == (7999, ["pool"])
    assert right.settings_wrong is None
    assert "prot" in (wrong.settings_wrong or "")


def test_the_pools_own_agent_is_one_that_is_no_service_and_goes_nowhere_else(
    tmp_path: Path, tools: Path
) -> None:
    manager_that_says(tools, "offline")
    places, agent = places_in(tmp_path), places_in(tmp_path, "agent")

    def found() -> OwnAgent | None:
        return read_facts(Asked(), places, agent, os.environ).own_agent

    none = found()
    agent.state_dir.mkdir(parents=True)
    (agent.state_dir / "ledger.db").touch()
    bare = found()
    agent.settings.write_text("cpus: 2\n")
    with_settings = found()
    agent.settings.write_text("cpus: 2\nserver: pool\n")
    elsewhere = found()
    agent.settings.unlink()
    (agent.state_dir / "passport.json").touch()

    assert (none, bare) == (None, OwnAgent(agent.state_dir))
    assert with_settings == OwnAgent(agent.state_dir, "cpus: 2\n")
    assert (elsewhere, found()) == (None, None)


def test_a_passport_fits_where_the_token_is_of_its_controller_or_there_is_none(
    tmp_path: Path, tools: Path
) -> None:
    manager_that_says(tools, "offline")
    agent = places_in(tmp_path, "agent")
    agent.state_dir.mkdir(parents=True)
    known = '{"url": "https://127.0.0.1:1", "ca": "not the one", "node": "n"}'
    (agent.state_dir / "passport.json").write_text(known)

    kept = read_facts(Asked(server="https://127.0.0.1:1"), agent, agent, os.environ)
    other = read_facts(Asked(token=new_token("join", "a" * 52)), agent, agent, os.environ)

    assert (kept.passport_fits, other.passport_fits) == (True, False)
    assert "port: 127.0.0.1:1 refuses" in (kept.way_blocked or "")
    assert other.way_blocked is None


def test_a_program_is_told_nothing_of_the_persons_other_pools() -> None:
    environ = {"MINI_EAAS_TOKEN": "t", "MINI_EAAS_HOME": "/other", "LANG": "C"}

    assert own_environ(environ, Path("/own")) == {"LANG": "C", "MINI_EAAS_HOME": "/own"}


def test_the_last_words_of_a_log_are_its_messages() -> None:
    assert last_words('{"level": "error", "message": "no"}\nplain\n').endswith("plain")
