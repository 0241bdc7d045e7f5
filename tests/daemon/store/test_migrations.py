import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from eaas_daemon.store.database import Database
from eaas_daemon.store.failures import NewerSchema
from eaas_daemon.store.migrations import all_steps, migrate, schema_version
from eaas_daemon.store.rows import node_row
from tests.daemon.store.builders import a_credential, a_node, a_step

FIRST = "CREATE TABLE t (a TEXT);"
SECOND = "ALTER TABLE t ADD COLUMN b TEXT; UPDATE t SET b = upper(a);"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "controller.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_an_empty_file_becomes_this_versions_schema_and_needs_no_backup(
    connection: sqlite3.Connection, path: Path
) -> None:
    assert migrate(connection, path, all_steps()) is None
    assert schema_version(connection) == len(all_steps())
    assert list(path.parent.iterdir()) == [path]


def test_an_older_schema_is_copied_first_and_then_brought_forward(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, [FIRST])
    connection.execute("INSERT INTO t VALUES ('x')")

    backup = migrate(connection, path, [FIRST, SECOND])

    assert connection.execute("SELECT * FROM t").fetchall() == [("x", "X")]
    assert backup == path.with_name("controller.db.before-2")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT * FROM t").fetchall() == [("x",)]
        assert schema_version(copy) == 1


def test_a_step_that_fails_leaves_the_database_as_it_was(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, [FIRST])
    connection.execute("INSERT INTO t VALUES ('x')")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, [FIRST, SECOND, "INSERT INTO missing VALUES (1);"])

    assert schema_version(connection) == 1
    assert connection.execute("SELECT * FROM t").fetchall() == [("x",)]
    assert not connection.in_transaction


def test_the_same_schema_is_left_alone(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, [FIRST])
    assert migrate(connection, path, [FIRST]) is None


def test_a_newer_schema_is_refused_with_both_versions(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, [FIRST, SECOND])

    with pytest.raises(NewerSchema, match="schema 2, this version knows 1"):
        migrate(connection, path, [FIRST])


def test_a_card_that_was_claimed_before_shares_came_is_claimed_as_a_whole(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, all_steps()[:4])
    connection.execute(
        "INSERT INTO claims (node, card, job, attempt, claimed_at)"
        " VALUES ('n1', 'GPU-1', 'a', 1, 5)"
    )

    migrate(connection, path, all_steps())

    with pytest.raises(sqlite3.IntegrityError, match="beside another claim"):
        connection.execute(
            "INSERT INTO claims (node, card, job, attempt, claimed_at, memory_mib, of_mib)"
            " VALUES ('n1', 'GPU-1', 'b', 1, 6, 1024, 24000)"
        )


async def test_a_database_of_version_1_is_brought_to_this_one_with_all_that_is_in_it(
    path: Path,
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, path, all_steps()[:1])
        old.execute("INSERT INTO meta VALUES (1, 1, 1, 0, 5.0)")
        old.execute("INSERT INTO nodes VALUES (?, ?, ?)", node_row(a_node()))
    path.chmod(0o600)

    async with Database(path) as database:
        await database.commit(a_step(credentials=(a_credential(),)))
        loaded = await database.load()

    backup = path.with_name(f"controller.db.before-{len(all_steps())}")
    assert (loaded.nodes, loaded.credentials) == ((a_node(),), (a_credential(),))
    with closing(sqlite3.connect(backup)) as copy:
        assert schema_version(copy) == 1
        assert copy.execute("SELECT name FROM nodes").fetchall() == [("n1",)]
