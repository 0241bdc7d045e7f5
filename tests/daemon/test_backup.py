import os
import sqlite3
import stat
from pathlib import Path

import pytest

from eaas_daemon.backup import NoBackup, back_up, main
from tests.rig.pool import an_installation


def tables(path: Path) -> set[str]:
    """Return the tables of an intact database."""
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    finally:
        connection.close()


async def test_a_controller_at_work_and_a_stopped_one_are_copied_whole_for_their_owner_only(
    tmp_path: Path,
) -> None:
    async with an_installation() as pool:
        pool.start_controller()
        async with pool.client() as client:
            await client.create_pool("kept")
            said = pool.said("controller", "backup", str(tmp_path / "at-work.db"))
        assert pool.controller.terminate() == 0
        later = back_up(pool.paths.database, tmp_path / "new" / "stopped.db")

        assert said == f"{tmp_path / 'at-work.db'}\n"
        for copy in (tmp_path / "at-work.db", later):
            assert "jobs" in tables(copy)
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
            with sqlite3.connect(copy) as connection:
                names = connection.execute("SELECT name FROM pools").fetchall()
            connection.close()
            assert ("kept",) in names


def test_nothing_is_overwritten_and_nothing_is_made_of_nothing(tmp_path: Path) -> None:
    database, there = tmp_path / "controller.db", tmp_path / "there.db"
    there.write_text("mine")

    with pytest.raises(NoBackup, match="there is no database at"):
        back_up(database, tmp_path / "copy.db")
    sqlite3.connect(database).close()
    with pytest.raises(NoBackup, match="exists already; nothing was written"):
        back_up(database, there)

    assert there.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["controller.db", "there.db"]


def test_why_there_is_no_copy_is_said_and_is_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([str(tmp_path / "copy.db")], {"MINI_EAAS_HOME": str(tmp_path)})

    assert code == 1
    assert f"there is no database at {tmp_path}/controller.db" in capsys.readouterr().err
