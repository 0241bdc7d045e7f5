"""What can go wrong with the database, in words for the person who has to act."""

import sqlite3
from pathlib import Path
from typing import ClassVar, Final

from eaas.errors import EaasError

_LOCKED: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class StoreUnavailable(EaasError):
    """Nothing was stored, and the same may work later."""

    code: ClassVar[str] = "store_unavailable"
    http_status: ClassVar[int] = 503


class PlaceLost(StoreUnavailable):
    """Nothing was stored: what the controller opened is not what lies at its path any more."""

    code = "place_lost"


class StoreFull(StoreUnavailable):
    """Nothing was stored: the disk is full."""

    code = "disk_full"
    http_status = 507


class StoreRefused(EaasError):
    """Nothing was stored: the change would break a promise, as a card that is claimed twice.

    The decision was made on a wrong picture; load the state again.
    """

    code = "store_refused"
    http_status = 500


class DatabaseDamaged(EaasError):
    """The database can't be trusted; the sentence says what to do."""

    code = "database_damaged"
    http_status = 500


class NewerSchema(EaasError):
    """The database was written by a newer version."""

    code = "newer_schema"
    http_status = 500


class HomeInUse(EaasError):
    """Another controller works on the same database."""

    code = "home_in_use"
    http_status = 409


def damaged(path: Path, finding: str) -> DatabaseDamaged:
    """Return the refusal to work on a damaged database."""
    return DatabaseDamaged(
        f"the database {path} is damaged ({' '.join(finding.split())}); nothing was changed."
        " Keep a copy of it, then put back the last good backup:"
        " mini-eaas controller restore BACKUP"
    )


def failure(error: sqlite3.Error, path: Path) -> EaasError:
    """Return what SQLite's error means to those who asked for the transaction."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull(f"the disk under {path} is full; nothing was stored")
    if primary == sqlite3.SQLITE_CONSTRAINT:
        return StoreRefused(f"the database refused a change that can't be: {error}")
    if primary in _BROKEN:
        return damaged(path, str(error))
    if primary in _LOCKED:
        return StoreUnavailable(f"another program keeps {path} locked; nothing was stored")
    return StoreUnavailable(f"{path} can't be written now ({error}); nothing was stored")
