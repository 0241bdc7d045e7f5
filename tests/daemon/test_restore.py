import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from eaas.errors import EaasError
from eaas.ids import PoolName, QueueName
from eaas_daemon.core.model import Pool, Queue
from eaas_daemon.restore import NUMBERS_JUMP, main, restore, told
from eaas_daemon.store.database import Database
from eaas_daemon.store.transactions import Loaded
from tests.daemon.store.builders import a_credential, a_step

NOW = 1_800_000_000.5
LAB = Pool(name=PoolName("lab"))


def a_queue(name: str, *, paused: bool = False) -> Queue:
    return Queue(pool=LAB.name, name=QueueName(name), paused=paused)


async def a_database(path: Path, **changes: Any) -> Loaded:
    """Make or go on with a database; return what it held when that was stored."""
    async with Database(path) as database:
        if changes:
            await database.commit(a_step(**changes))
        return await database.load()


def files(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.endswith(".lock"))


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    """A backup with two queues, one of them paused; the next job would be number 8."""
    path = tmp_path / "backup.db"
    await a_database(
        path,
        seq=70,
        next_number=8,
        pools=(LAB,),
        queues=(a_queue("default"), a_queue("night", paused=True)),
        credentials=(a_credential(),),
    )
    path.with_suffix(".lock").unlink()
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "controller.db"


async def test_the_epoch_rises_numbers_jump_and_every_queue_waits_for_a_person(
    backup: Path, database: Path
) -> None:
    before = await a_database(database, seq=100, next_number=50)

    done = restore(database, backup, NOW)
    loaded = await a_database(database)

    assert (done.epoch, loaded.epoch) == (1_800_000_000, 1_800_000_000)
    assert loaded.epoch > before.epoch
    assert loaded.next_number == done.next_number == 50 + NUMBERS_JUMP
    assert loaded.seq == 71
    assert {queue.ref: queue.paused for queue in loaded.queues} == {
        "lab/default": True,
        "lab/night": True,
    }
    assert done.paused == ("lab/default",)
    assert "mini-eaas queue resume lab/default" in told(done, backup)
    assert "lab/night" not in told(done, backup)
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    with closing(sqlite3.connect(database)) as connection:
        kinds = connection.execute("SELECT kind FROM journal").fetchall()
    assert kinds == [("controller.restored",)]


async def test_a_restore_after_a_restore_rises_again_whatever_the_clock_says(
    backup: Path, database: Path
) -> None:
    first = restore(database, backup, NOW)

    second = restore(database, backup, NOW - 3600)

    assert second.epoch == first.epoch + 1
    assert second.next_number == first.next_number + NUMBERS_JUMP


async def test_what_was_there_is_kept_beside_and_can_be_opened(
    backup: Path, database: Path
) -> None:
    before = await a_database(database, seq=100, next_number=50)

    done = restore(database, backup, NOW)

    assert done.aside == database.with_name("controller.db.before-restore-20270115T080000")
    assert done.aside is not None
    assert str(done.aside) in told(done, backup)
    assert files(database.parent) == ["controller.db", done.aside.name]
    kept = await a_database(done.aside)
    assert (kept.seq, kept.next_number) == (before.seq, before.next_number)
    assert (await a_database(backup)).next_number == 8, "the backup is as it was"


async def test_who_may_come_in_is_as_it_was_before_the_restore_and_not_as_in_the_backup(
    backup: Path, database: Path
) -> None:
    revoked = replace(a_credential(), revoked_at=5.0)
    await a_database(database, credentials=(revoked,))

    done = restore(database, backup, NOW)

    assert (await a_database(database)).credentials == (revoked,)
    assert "what was revoked stays revoked" in told(done, backup)


@pytest.mark.parametrize("there", ["nothing", "noise"])
async def test_where_nothing_can_be_read_any_more_the_backup_is_all_there_is(
    backup: Path, database: Path, there: str
) -> None:
    if there == "noise":
        database.write_bytes(os.urandom(8192))
        database.with_name("controller.db-wal").write_bytes(b"a log")

    done = restore(database, backup, NOW)
    loaded = await a_database(database)

    assert (loaded.epoch, loaded.next_number) == (1_800_000_000, 8 + NUMBERS_JUMP)
    assert loaded.credentials == (a_credential(),)
    assert "tokens are those of the backup" in told(done, backup)
    kept = [name for name in files(database.parent) if "before-restore" in name]
    assert len(kept) == (0 if there == "nothing" else 2)


async def test_what_is_no_backup_changes_nothing(backup: Path, database: Path) -> None:
    await a_database(database, seq=100, next_number=50)
    before = database.read_bytes()
    noise, other, newer = (database.with_name(name) for name in ("noise", "other", "newer"))
    noise.write_bytes(os.urandom(8192))
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    newer.write_bytes(backup.read_bytes())
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 999")

    for wrong, why in (
        (noise, "can't be restored|is damaged"),
        (other, "is no controller's database"),
        (newer, "has schema 999"),
        (database.with_name("absent"), "there is no backup at"),
    ):
        with pytest.raises(EaasError, match=why):
            restore(database, wrong, NOW)

    assert database.read_bytes() == before
    assert [name for name in files(database.parent) if "restor" in name] == []


async def test_a_damaged_backup_is_recognized(backup: Path, database: Path) -> None:
    pages = bytearray(backup.read_bytes())
    pages[4096:] = os.urandom(len(pages) - 4096)
    backup.write_bytes(pages)

    with pytest.raises(EaasError, match="nothing was changed"):
        restore(database, backup, NOW)

    assert files(database.parent) == []


async def test_a_backup_whose_pages_are_whole_but_no_controller_could_start_from_is_refused(
    backup: Path, database: Path
) -> None:
    await a_database(database, seq=100, next_number=50)
    before = database.read_bytes()
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("UPDATE queues SET body = x'c1'")
        connection.commit()

    with pytest.raises(EaasError, match=r"backup.db is damaged .*; nothing was changed"):
        restore(database, backup, NOW)

    assert database.read_bytes() == before


async def test_what_another_program_wrote_leaves_nothing_behind(
    tmp_path: Path, database: Path
) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.executescript(
            "CREATE TABLE meta (x); INSERT INTO meta VALUES (1); PRAGMA user_version = 2"
        )

    with pytest.raises(EaasError, match="nothing was changed"):
        restore(database, other, NOW)

    assert files(database.parent) == []


async def test_what_an_interrupted_restore_left_is_no_part_of_the_next_one(
    backup: Path, database: Path
) -> None:
    fresh = database.with_name("controller.db.restoring")
    journal = database.with_name("controller.db.restoring-journal")
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("VACUUM INTO ?", (str(fresh),))
    with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE meta SET next_number = 3")
        connection.execute("CREATE TABLE more (x)")
        connection.executemany("INSERT INTO more VALUES (zeroblob(?))", [(100_000,)] * 50)
        begun = journal.read_bytes()
    journal.write_bytes(begun)
    await a_database(backup, seq=80, next_number=900)

    restore(database, backup, NOW)

    assert (await a_database(database)).next_number == 900 + NUMBERS_JUMP
    assert [name for name in files(database.parent) if "restoring" in name] == []


async def test_a_backup_that_a_restore_would_delete_is_refused(
    backup: Path, database: Path
) -> None:
    left = backup.rename(database.with_name("controller.db.restoring.before-4"))

    with pytest.raises(EaasError, match="give it another name first"):
        restore(database, left, NOW)

    assert left.exists()


async def test_a_controller_at_work_is_left_alone(backup: Path, database: Path) -> None:
    async with Database(database):
        with pytest.raises(EaasError, match=f"pid {os.getpid()}.*stop it first"):
            restore(database, backup, NOW)


async def test_a_backup_of_an_older_version_is_brought_to_this_one(
    tmp_path: Path, database: Path
) -> None:
    from eaas_daemon.store.migrations import all_steps, migrate

    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        migrate(connection, old, all_steps()[:1])
        connection.execute("INSERT INTO meta VALUES (1, 1, 8, 70, 5.0)")

    restore(database, old, NOW)

    assert files(database.parent) == ["controller.db"]
    assert (await a_database(database)).next_number == 8 + NUMBERS_JUMP


async def test_why_nothing_was_restored_is_said_and_is_the_exit_code(
    tmp_path: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = {"MINI_EAAS_HOME": str(tmp_path / "installed")}

    assert main([str(tmp_path / "absent.db")], home) == 1
    assert "there is no backup at" in capsys.readouterr().err
    assert main([str(backup)], home) == 0
    assert "0 jobs that had not ended; the next job is number 10008" in capsys.readouterr().out
