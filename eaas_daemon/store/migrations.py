"""Bringing a database to this version's schema: forward only, whole or not at all."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from eaas_daemon.store.failures import NewerSchema

STEPS: Final = (
    "schema.sql",
    "credentials.sql",
    "fair_share.sql",
    "lives.sql",
    "shares.sql",
    "bookings.sql",
)


def all_steps() -> tuple[str, ...]:
    """Return the SQL that makes version 1 of nothing, version 2 of version 1, and so on."""
    folder = Path(__file__).parent
    return tuple((folder / name).read_text(encoding="utf-8") for name in STEPS)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> Path | None:
    """Bring the database to the last step's schema; return the backup made before, if one was.

    All steps are one transaction. An older schema with data in it is copied first, next to the
    database, as ``controller.db.before-2``. A newer one is refused and not touched.
    """
    version = schema_version(connection)
    if version > len(steps):
        raise NewerSchema(
            f"{path} has schema {version}, this version knows {len(steps)}: install the newer"
            " mini-eaas again, or restore a backup made before the upgrade"
        )
    if version == len(steps):
        return None
    backup = copy_to(connection, Path(f"{path}.before-{len(steps)}")) if version else None
    try:
        # executescript commits what is open before it starts, so the script brings its own BEGIN
        connection.executescript(
            "BEGIN IMMEDIATE;\n"
            + "\n".join(steps[version:])
            + f"\nPRAGMA user_version = {len(steps)};\nCOMMIT;"
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.rollback()
        raise
    return backup


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema's version; 0 is an empty file."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    assert isinstance(version, int)
    return version


def copy_to(connection: sqlite3.Connection, target: Path) -> Path:
    """Write a whole copy of the database to ``target`` and return that."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = target.with_name(target.name + ".part")
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection.execute("VACUUM INTO ?", (str(temporary),))
    _sync(temporary)
    temporary.replace(target)
    _sync(target.parent)
    return target


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
