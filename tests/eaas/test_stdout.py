import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from eaas_daemon.store.database import Database

PROGRAMS: Final = (
    ("eaas_daemon.backup", "copy"),
    ("eaas_daemon.backup", "--help"),
    ("eaas_daemon.restore", "backup"),
    ("eaas_daemon.restore", "--help"),
    ("eaas_daemon", "config"),
    ("eaas_daemon", "--help"),
    ("eaas_agent", "config"),
    ("eaas_agent", "--help"),
    ("eaas_tui", "--help"),
    ("eaas.cli.start", "folder", "--help"),
    ("eaas.cli.start", "schema", "job"),
)
"""One line of each program that prints something, in a folder with a database and a backup."""


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """Make an installation with a controller's database, and a backup of one."""
    for path in (tmp_path / "controller.db", tmp_path / "elsewhere" / "controller.db"):
        path.parent.mkdir(exist_ok=True)
        async with Database(path) as database:
            await database.load()
    path.rename(tmp_path / "backup")
    return tmp_path


def ends(
    line: tuple[str, ...], home: Path, stdout: int, *, at_once: bool = False
) -> tuple[int, str]:
    """Run one program in that home; return its exit code and what it wrote to stderr."""
    module, *arguments = line
    start = ["-c", "from eaas.cli.start import main; main()"] if "cli" in module else ["-m", module]
    environ = {**os.environ, "MINI_EAAS_HOME": str(home), "PYTHONUNBUFFERED": "1" * at_once}
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        env=environ,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("at_once", [False, True], ids=["kept", "at once"])
@pytest.mark.parametrize("line", PROGRAMS, ids=" ".join)
def test_a_reader_that_has_gone_is_no_error_of_any_program(
    line: tuple[str, ...], home: Path, *, at_once: bool
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ends(line, home, writing, at_once=at_once) == (0, "")
    finally:
        os.close(writing)


@pytest.mark.parametrize("line", PROGRAMS, ids=" ".join)
def test_a_full_disk_is_told_by_every_program_in_a_sentence(
    line: tuple[str, ...], home: Path
) -> None:
    with open("/dev/full", "w") as full:
        code, said = ends(line, home, full.fileno())

    assert code == 1
    assert "can't write: no space left on device" in said.splitlines()[-1]
    assert "Traceback" not in said
