"""The README's first command, on a clone of its own: nothing is set up before it."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.rig.engine import answering_engine
from tests.rig.machine import NOT_COMPILED

ROOT: Final = Path(__file__).parents[2]
CLONED: Final = (
    *("install.sh", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"),
    *("eaas", "eaas_daemon", "eaas_agent", "eaas_tui", "config"),
)
NOWHERE: Final = "unix:///nowhere.sock"
WITHIN_S: Final = 600
"""What fetching and unpacking the packages may take on a busy machine."""

pytestmark = pytest.mark.timeout(2 * WITHIN_S)


class Clone:
    """A clone of the project with a pool of its own, as somebody has it who just fetched it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder: Final = folder
        self.home: Final = home

    def install(self, engine: str) -> str:
        """Run install.sh from elsewhere; see that it succeeds and return what it printed."""
        done = self._run([self.folder / "install.sh"], engine)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ask(self, *words: str) -> str:
        """Run mini-eaas and return its answer."""
        done = self._run([self.folder / ".venv/bin/mini-eaas", *words], NOWHERE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _run(self, command: list[Path | str], engine: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "MINI_EAAS_HOME": str(self.home), "DOCKER_HOST": engine}
        return subprocess.run(
            command, env=environ, cwd="/", capture_output=True, text=True, timeout=WITHIN_S
        )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in a path with a space, the same for all who test at the same time."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    with (place / "clone.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = place / "a clone"
        if not folder.exists():
            folder.mkdir()
            for name in CLONED:
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, folder / name)
            install: list[Path | str] = [folder / "install.sh", "--dry-run"]
            environ = {**os.environ, **NOT_COMPILED}
            subprocess.run(install, env=environ, check=True, capture_output=True, timeout=WITHIN_S)
    return folder


@pytest.fixture
def clone(folder: Path) -> Iterator[Clone]:
    """The clone with a home of the test's own; its pool is stopped and its data removed after."""
    home = Path(tempfile.mkdtemp(prefix="eaas-home-"))
    clone = Clone(folder, home)
    try:
        yield clone
    finally:
        clone.ask("down", "--stop-jobs")
        shutil.rmtree(home)


def test_one_command_brings_up_a_pool_and_runs_hello_without_an_engine(clone: Clone) -> None:
    printed = clone.install(NOWHERE)
    again = clone.install(NOWHERE)

    assert "No container engine answers" in printed
    assert "open the console" in printed
    assert "Installing" not in again
    jobs = json.loads(clone.ask("job", "list", "--all", "-o", "json"))["items"]
    assert [job["state"] for job in jobs] == ["Succeeded", "Succeeded"]


@pytest.mark.docker
def test_one_command_runs_hello_in_a_container_where_an_engine_answers(clone: Clone) -> None:
    engine = answering_engine(os.environ)
    assert engine is not None

    printed = clone.install(engine)

    assert "No container engine answers" not in printed
    (job,) = json.loads(clone.ask("job", "list", "--all", "-o", "json"))["items"]
    assert job["state"] == "Succeeded"
    assert job["spec"]["image"] == "mini-eaas/hello:1"
