import sqlite3
from pathlib import Path

import pytest

from eaas_daemon.store.failures import (
    DatabaseDamaged,
    StoreFull,
    StoreRefused,
    StoreUnavailable,
    failure,
)


def an_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind", "status"),
    [
        (sqlite3.SQLITE_FULL, StoreFull, 507),
        (sqlite3.SQLITE_BUSY, StoreUnavailable, 503),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreUnavailable, 503),
        (sqlite3.SQLITE_IOERR_WRITE, StoreUnavailable, 503),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, StoreRefused, 500),
        (sqlite3.SQLITE_CORRUPT, DatabaseDamaged, 500),
        (sqlite3.SQLITE_NOTADB, DatabaseDamaged, 500),
    ],
)
def test_each_error_of_sqlite_means_one_thing_to_the_caller(
    code: int, kind: type[Exception], status: int
) -> None:
    answer = failure(an_error(code), Path("/home/controller.db"))

    assert type(answer) is kind
    assert answer.http_status == status


def test_a_full_disk_is_something_that_may_pass() -> None:
    assert isinstance(failure(an_error(sqlite3.SQLITE_FULL), Path("x")), StoreUnavailable)


def test_an_error_without_a_code_is_unavailable() -> None:
    assert type(failure(sqlite3.ProgrammingError("closed"), Path("x"))) is StoreUnavailable
