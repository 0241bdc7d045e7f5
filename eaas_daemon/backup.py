"""``mini-eaas controller backup FILE``: a whole copy of a database that may be at work."""

import argparse
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.exit_codes import DONE, code_of
from eaas.log_lines import begin_log
from eaas.paths import paths_from, whole_path
from eaas.program import say_unwritten, say_why
from eaas.settings.command_line import TYPED_AS
from eaas.stdout import say, written
from eaas_daemon.store.failures import failure
from eaas_daemon.store.migrations import copy_to

BUSY_TIMEOUT_S: Final = 30.0


class NoBackup(EaasError):
    """There is nothing to copy, or nowhere to put it."""

    code = "no_backup"


def back_up(database: Path, target: Path) -> Path:
    """Write a consistent copy for its owner only, on the disk when this returns; return its path.

    A controller may be at work on the database and goes on meanwhile. Raises ``NoBackup`` and
    ``StoreUnavailable``.
    """
    if not database.exists():
        raise NoBackup(f"there is no database at {database}")
    if target.exists():
        raise NoBackup(f"{target} exists already; nothing was written")
    try:
        uri = f"{database.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as connection:
            return copy_to(connection, target)
    except PermissionError as error:
        raise NoBackup(f"{error.filename}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise failure(error, database) from error


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Copy the database of this installation; return the exit code."""
    return written(lambda: _run(argv, environ), say_unwritten)


def _run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(
        prog=os.environ.pop(TYPED_AS, "eaas_daemon.backup"),
        description="Copies the controller's database to a file, whether the controller runs or "
        "not. Only its owner may read the copy: it says who may come in.",
    )
    parser.add_argument("file", metavar="FILE", help="the copy; it must not exist yet")
    file = parser.parse_args(argv).file
    begin_log("info", "text")
    try:
        say(str(back_up(paths_from(environ).database, whole_path(file))))
    except EaasError as refusal:
        return say_why(refusal, code_of(refusal))
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
