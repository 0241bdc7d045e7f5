import asyncio
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from eaas.lifecycle import JobState
from eaas_daemon.core.changes import Changes
from eaas_daemon.store.database import Database
from eaas_daemon.store.failures import (
    DatabaseDamaged,
    HomeInUse,
    NewerSchema,
    PlaceLost,
    StoreUnavailable,
)
from tests.daemon.store.builders import a_job, a_key, a_line, a_node, a_step


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "controller.db"


async def test_every_start_is_a_life_and_the_one_before_is_remembered_as_far_as_it_came(
    path: Path,
) -> None:
    async with Database(path) as database:
        first = await database.load()
        await database.commit(a_step(seq=7, next_number=1))
    async with Database(path, clock=lambda: 7.0) as database:
        second = await database.load()
        again = await database.load()
    async with Database(path) as database:
        third = await database.load()

    assert len({first.life, second.life, third.life}) == 3
    assert (first.lives, second.lives) == ({}, {first.life: 7})
    assert again == second
    assert third.lives == {first.life: 7, second.life: 7}


async def test_a_first_start_has_epoch_1_and_will_give_out_number_1(path: Path) -> None:
    async with Database(path) as database:
        loaded = await database.load()

    assert (loaded.epoch, loaded.next_number, loaded.seq, loaded.jobs) == (1, 1, 0, ())


async def test_what_was_committed_is_there_after_a_restart(path: Path) -> None:
    async with Database(path) as database:
        await database.commit(Changes(seq=4, next_number=3, jobs=(a_job(1), a_job(2))))

    async with Database(path) as database:
        loaded = await database.load()

    assert (loaded.epoch, loaded.next_number, loaded.seq) == (1, 3, 4)
    assert loaded.jobs == (a_job(1), a_job(2))


async def test_only_the_owner_can_read_the_files(path: Path) -> None:
    async with Database(path) as database:
        await database.commit(a_step(a_job(1)))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert set(modes) >= {"controller.db", "controller.db-wal", "controller.lock"}


async def test_every_commit_is_synced_and_written_ahead(path: Path) -> None:
    async with Database(path) as database:
        modes = await database._in_thread(
            lambda: [
                database._open_one.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "foreign_keys", "mmap_size")
            ]
        )

    assert modes == ["wal", 2, 1, 0]


async def test_a_cancelled_commit_is_stored_whole_and_does_not_disturb_the_next(
    path: Path,
) -> None:
    async with Database(path) as database:
        task = asyncio.create_task(database.commit(a_step(a_job(1), keys=(a_key("k"),))))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await database.commit(a_step(a_job(2)))
        loaded = await database.load()

    assert loaded.jobs == (a_job(1), a_job(2))


async def test_commits_that_arrive_together_do_not_get_into_each_other(path: Path) -> None:
    async with Database(path) as database, asyncio.TaskGroup() as tasks:
        for number in range(1, 21):
            tasks.create_task(database.commit(a_step(a_job(number))))

    async with Database(path) as database:
        assert len((await database.load()).jobs) == 20


async def test_after_a_failed_commit_nothing_of_it_is_stored(path: Path) -> None:
    async with Database(path) as database:
        await database.commit(a_step(a_job(1), keys=(a_key("k"),)))
        with pytest.raises(Exception, match="refused"):
            await database.commit(a_step(a_job(2), journal=(a_line(9),), keys=(a_key("k"),)))
        await database.commit(a_step(a_job(3)))
        loaded = await database.load()

    assert loaded.jobs == (a_job(1), a_job(3))


async def test_a_database_that_stays_locked_is_unavailable_and_serves_again_later(
    path: Path,
) -> None:
    async with Database(path, busy_timeout_s=0.05) as database:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="locked") as refusal:
                await database.commit(a_step(a_job(1)))
            other.execute("ROLLBACK")
        await database.commit(a_step(a_job(2)))
        loaded = await database.load()

    assert refusal.value.http_status == 503
    assert loaded.jobs == (a_job(2),)


@pytest.fixture
def file_limit() -> Iterator[None]:
    """Lets no file grow over 1 MiB while the test runs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("file_limit")
async def test_when_the_disk_takes_no_more_nothing_is_torn(path: Path) -> None:
    large = a_line(5, text="x" * (3 << 20))
    async with Database(path) as database:
        await database.commit(a_step(a_job(1)))
        with pytest.raises(StoreUnavailable):
            await database.commit(a_step(a_job(2), journal=(large,)))
        await database.commit(a_step(a_job(3)))

    async with Database(path) as database:
        assert (await database.load()).jobs == (a_job(1), a_job(3))


WRITER = """
import asyncio, sys
from pathlib import Path
from eaas_daemon.store.database import Database
from tests.daemon.store.builders import a_job, a_step

async def main():
    async with Database(Path(sys.argv[1])) as database:
        for number in range(1, 100_000):
            await database.commit(a_step(a_job(number)))
            print(number, flush=True)

asyncio.run(main())
"""


async def test_kill_9_loses_no_commit_that_was_answered(path: Path) -> None:
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(path), stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    answered = [int(await writer.stdout.readline()) for _ in range(100)][-1]
    writer.send_signal(signal.SIGKILL)
    rest = (await writer.stdout.read()).splitlines(keepends=True)
    answered = max([answered, *(int(line) for line in rest if line.endswith(b"\n"))])
    await writer.wait()

    async with Database(path) as database:
        numbers = [job.number for job in (await database.load()).jobs]

    assert numbers[:answered] == list(range(1, answered + 1))
    assert len(numbers) <= answered + 1


HOLDER = """
import sys
from pathlib import Path
from eaas_daemon.store.database import take_lock
take_lock(Path(sys.argv[1]))
print("locked", flush=True)
sys.stdin.read()
"""


async def test_a_second_controller_on_the_same_home_is_refused_until_the_first_ends(
    path: Path,
) -> None:
    first = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, str(path.with_suffix(".lock"))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    await first.stdout.readline()

    with pytest.raises(HomeInUse, match=f"pid {first.pid}.*MINI_EAAS_HOME"):
        await Database(path).__aenter__()

    first.stdin.close()
    await first.wait()
    async with Database(path):
        pass


@pytest.mark.parametrize("lost", ["controller.db", "controller.lock"])
@pytest.mark.parametrize("again", [False, True], ids=["deleted", "made again"])
async def test_nothing_is_stored_once_another_file_or_none_is_in_the_place_of_one_that_was_opened(
    path: Path, lost: str, *, again: bool
) -> None:
    gone = path.with_name(lost)
    async with Database(path) as database:
        await database.commit(a_step(seq=1))
        await database.look()
        gone.unlink()
        if again:
            gone.touch()
        for doing in (database.look, lambda: database.commit(a_step(seq=2))):
            with pytest.raises(PlaceLost, match=f"{lost} is not the file any more"):
                await doing()


async def test_a_newer_schema_is_refused_and_not_touched(path: Path) -> None:
    async with Database(path):
        pass
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = path.read_bytes()

    with pytest.raises(NewerSchema, match="has schema 99"):
        await Database(path).__aenter__()

    assert path.read_bytes() == before


async def test_a_damaged_database_is_refused_with_its_name_and_what_to_do(path: Path) -> None:
    async with Database(path) as database:
        for number in range(1, 50):
            await database.commit(a_step(a_job(number)))
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(os.urandom(4096 * 6))

    with pytest.raises(DatabaseDamaged, match=rf"{path}.*restore"):
        await Database(path).__aenter__()


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"what is this? " * 1000)

    with pytest.raises(DatabaseDamaged, match="not a database"):
        await Database(path).__aenter__()


async def test_a_log_without_its_database_is_no_fresh_start(path: Path) -> None:
    path.parent.mkdir()
    Path(f"{path}-wal").write_bytes(b"x")

    with pytest.raises(DatabaseDamaged, match="write-ahead log"):
        await Database(path).__aenter__()


async def test_what_is_too_old_is_pruned_a_bounded_piece_at_a_time(path: Path) -> None:
    day = 86400.0
    keys = tuple(a_key(f"k{number}", at=0.0) for number in range(600))
    lines = tuple(a_line(number, at=0.0) for number in range(1, 4))
    async with Database(path, keep_journal_s=30 * day) as database:
        await database.commit(a_step(keys=(*keys, a_key("new", at=9 * day)), journal=lines))
        gone = [await database.prune(10 * day) for _ in range(3)]
        later = await database.prune(31 * day)

    assert gone == [500, 100, 0]
    assert later == 1 + 3


async def test_the_keys_of_files_in_watched_folders_stay(path: Path) -> None:
    async with Database(path) as database:
        await database.commit(a_step(keys=(a_key("folder:a", at=0.0), a_key("b", at=0.0))))

        assert await database.prune(1e9) == 1


async def test_a_backup_is_a_whole_database(path: Path, tmp_path: Path) -> None:
    async with Database(path) as database:
        await database.commit(a_step(a_job(1), nodes=(a_node(),)))
        copy = await database.backup(tmp_path / "copies" / "controller.db")

    async with Database(copy) as database:
        loaded = await database.load()

    assert (loaded.jobs, [node.name for node in loaded.nodes]) == ((a_job(1),), ["n1"])


async def test_ended_jobs_are_not_loaded(path: Path) -> None:
    over = a_job(1, JobState.SUCCEEDED, finished_at=1010.0)
    async with Database(path) as database:
        await database.commit(a_step(over, a_job(2)))
        assert (await database.load()).jobs == (a_job(2),)
