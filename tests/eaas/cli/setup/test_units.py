import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.cli.setup.places import Places, Role
from eaas.cli.setup.units import is_of, quoted, unit_text
from tests.eaas.cli.setup.building import CLONE, some_places

CONFIG = Path(__file__).parents[4] / "config" / "systemd"


def text_of(places: Places, *, for_user: bool = False) -> str:
    example = (CONFIG / f"mini-eaas-{places.role}.service").read_text()
    return unit_text(example, places, for_user=for_user)


@pytest.mark.parametrize("role", ["controller", "agent"])
def test_at_the_usual_places_a_unit_is_the_example(role: Role) -> None:
    example = (CONFIG / f"mini-eaas-{role}.service").read_text().replace("\\\n", " ")
    said = {" ".join(line.split()) for line in example.splitlines() if not line.startswith("#")}

    made = text_of(some_places(role)).splitlines()

    assert {" ".join(line.split()) for line in made if not line.startswith("#")} == said


def test_a_clone_elsewhere_is_named_as_systemd_reads_it() -> None:
    made = text_of(some_places("controller", clone=Path("/srv/a 100% clone")))

    assert 'ExecStart="/srv/a 100%% clone/.venv/bin/eaas-daemon" run --config' in made


def test_a_clone_in_a_home_can_be_read_by_its_service() -> None:
    assert "ProtectHome=read-only" in text_of(some_places("controller", clone=Path("/home/ann/x")))
    assert "ProtectHome=yes" in text_of(some_places("controller"))


def test_data_elsewhere_may_be_written() -> None:
    places = some_places("controller")
    moved = replace(places, home=Path("/srv/pool"), state_dir=Path("/srv/pool"))

    made = text_of(moved)

    assert "ReadWritePaths=/srv/pool" in made
    assert "StateDirectory" not in made


@pytest.mark.parametrize("role", ["controller", "agent"])
def test_a_persons_unit_asks_for_nothing_that_takes_root(role: Role) -> None:
    made = text_of(some_places(role, for_user=True), for_user=True)
    keys = {line.partition("=")[0] for line in made.splitlines() if "=" in line}

    assert "WantedBy=default.target" in made
    assert "Environment=MINI_EAAS_HOME=/home/ann/pool" in made
    assert keys <= {
        *("Description", "StartLimitIntervalSec", "Type", "NotifyAccess", "ExecStart"),
        *("ExecReload", "Environment", "UMask", "KillMode", "OOMPolicy", "WatchdogSec"),
        *("TimeoutStartSec", "TimeoutStopSec", "Restart", "RestartSec", "WantedBy"),
        "RestartPreventExitStatus",
    }
    assert {"Restart", "RestartPreventExitStatus"} <= keys


def test_a_unit_says_of_which_clone_it_is() -> None:
    made = text_of(some_places("agent"))

    assert is_of(made, CLONE)
    assert not is_of(made, Path("/opt/mini"))


@pytest.mark.parametrize(
    ("word", "written"),
    [("plain", "plain"), ("a b", '"a b"'), ("50%", "50%%"), ("$x", "$x"), ('a"b', '"a\\"b"')],
)
def test_a_word_is_written_so_that_systemd_reads_it_back(word: str, written: str) -> None:
    assert quoted(word) == written


def test_a_dollar_is_doubled_only_behind_the_program() -> None:
    places = some_places("controller", clone=Path("/srv/$c"))
    made = text_of(replace(places, home=Path("/srv/$h"), settings=Path("/srv/$s.yaml")))

    assert "ExecStart=/srv/$c/.venv/bin/eaas-daemon run --config /srv/$$s.yaml" in made
    assert "Environment=MINI_EAAS_HOME=/srv/$h\n" in made


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing (apt: systemd)"
)
@pytest.mark.parametrize("for_user", [False, True], ids=["system", "user"])
@pytest.mark.parametrize("clone", ["mini-eaas", "a 100% $clone"])
@pytest.mark.parametrize("role", ["controller", "agent"])
def test_systemd_finds_nothing_wrong_with_a_unit_and_the_program_where_it_says(
    role: Role, clone: str, for_user: bool, tmp_path: Path
) -> None:
    program = "eaas-daemon" if role == "controller" else "eaas-agent"
    bin = tmp_path / clone / ".venv" / "bin"
    bin.mkdir(parents=True)
    (bin / program).symlink_to(Path(sys.executable).with_name(program))
    places = replace(some_places(role, for_user=for_user), bin=bin, home=tmp_path / clone)
    file = tmp_path / f"mini-eaas-{role}.service"
    file.write_text(text_of(places, for_user=for_user))

    right = verified(file, for_user=for_user)
    (bin / program).unlink()
    gone = verified(file, for_user=for_user)

    assert right == ""
    assert f"{bin / program} is not executable" in gone


def verified(file: Path, *, for_user: bool) -> str:
    """Return what systemd has to say of the unit."""
    words = ["systemd-analyze", *(["--user"] if for_user else []), "verify", str(file)]
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(file.parent)}
    run = subprocess.run(words, env=environ, capture_output=True, text=True)
    return run.stdout + run.stderr
