"""The examples in ``config/`` are right, whole, and agree with the programs."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from eaas.job_file import read_job_file
from eaas.settings.keys import Key
from eaas.settings.layers import DEFAULT, Settings, settle
from eaas_agent import arguments as agent_arguments
from eaas_agent import settings as agent
from eaas_daemon import arguments as controller_arguments
from eaas_daemon import settings as controller

CONFIG: Final = Path(__file__).parents[1] / "config"
UNITS: Final = sorted((CONFIG / "systemd").glob("*.service"))
PARSERS: Final = {
    "eaas-daemon": controller_arguments.parse,
    "eaas-agent": agent_arguments.parse,
}
KEYS: Final[dict[str, Sequence[Key]]] = {"controller": controller.KEYS, "agent": agent.KEYS}
HOME: Final = {"eaas-daemon": "/var/lib/mini-eaas", "eaas-agent": "/var/lib/mini-eaas-agent"}


def settings_of(program: str, file: Path) -> Settings:
    return settle(program, KEYS[program], file=file, environ={}, typed={})


def unit(path: Path) -> dict[str, list[str]]:
    """Return the unit's settings; one that is given twice has two values."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().replace("\\\n", " ").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(" ".join(value.split()))
    return found


@pytest.mark.parametrize("program", KEYS)
def test_an_example_changes_nothing_as_it_comes_and_explains_every_setting(
    program: str, tmp_path: Path
) -> None:
    example = CONFIG / f"{program}.yaml"
    everything = tmp_path / "all.yaml"
    everything.write_text(re.sub(r"^#(?! \S)", "", example.read_text(), flags=re.M))
    keys = [key for key in KEYS[program] if not key.secret]

    as_it_comes = settings_of(program, example)
    found = settings_of(program, everything)

    assert {setting.source for setting in as_it_comes.by_name.values()} == {DEFAULT}
    assert [key.name for key in keys if found.by_name[key.name].source == DEFAULT] == []


@pytest.mark.parametrize("program", KEYS)
def test_the_head_shows_how_a_list_is_written_in_a_variable(program: str) -> None:
    shown = re.search(r"(MINI_EAAS_\w+)='(.*)'", (CONFIG / f"{program}.yaml").read_text())

    assert shown is not None
    name, text = shown.groups()
    found = settle(program, KEYS[program], file=None, environ={name: text}, typed={})
    assert [key for key, value in found.by_name.items() if value.source == f"${name}"] == [
        name.rpartition("_")[2].lower()
    ]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: str(path.stem))
def test_a_unit_starts_a_program_with_words_that_it_takes(path: Path) -> None:
    settings = unit(path)
    program, *words = settings["ExecStart"][0].split()
    name = Path(program).name
    typed = PARSERS[name](words)

    assert (typed.verb, str(typed.config)) == ("run", f"/etc/mini-eaas/{path.stem[10:]}.yaml")
    assert settings["Environment"] == ["MINI_EAAS_HOME=/var/lib/mini-eaas"]
    assert f"/var/lib/{settings['StateDirectory'][0]}" == HOME[name]
    assert settings["Type"] == ["notify"]
    assert settings["RestartPreventExitStatus"] == ["2"]
    assert int(settings["WatchdogSec"][0]) >= 30


def test_only_the_agent_leaves_its_processes_alone_when_it_ends() -> None:
    modes = {path.stem: unit(path).get("KillMode") for path in UNITS}

    assert modes == {"mini-eaas-agent": ["process"], "mini-eaas-controller": None}


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing (apt: systemd)"
)
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        here = path.read_text().replace(
            "/opt/mini-eaas/.venv/bin", str(Path(sys.executable).parent)
        )
        (tmp_path / path.name).write_text(here)
    files = [str(tmp_path / path.name) for path in UNITS]
    run = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True)

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_the_example_that_makes_room_saves_its_step_and_goes_on_from_there(tmp_path: Path) -> None:
    [example] = read_job_file((CONFIG / "jobs" / "checkpoint.yaml").read_bytes())
    command = example.spec.command
    assert isinstance(command, str)

    def interrupted(preemptions: int) -> tuple[str, int]:
        """Run it until it has said how it begins; then ask it to stop, as an agent does."""
        own = {"EAAS_ATTEMPT": str(preemptions + 1), "EAAS_PREEMPTIONS": str(preemptions)}
        with subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=tmp_path,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as runs:
            assert runs.stdout is not None
            begins = runs.stdout.readline()
            os.killpg(runs.pid, signal.SIGTERM)
            assert runs.wait(timeout=30) == 143
        return begins, int((tmp_path / "step.txt").read_text())

    begins, step = interrupted(0)
    again, later = interrupted(1)

    assert begins == "attempt 1, interrupted 0 times: goes on from step 0\n"
    assert again == f"attempt 2, interrupted 1 times: goes on from step {step}\n"
    assert later >= step
