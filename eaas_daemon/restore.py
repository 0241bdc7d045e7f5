"""``mini-eaas controller restore BACKUP``: go on from a backup, and let agents know that it is one.

Nothing that runs is stopped. The epoch rises, so that agents obey this controller although it knows
less than they have heard; job numbers jump, so that none is given out twice; every queue is paused,
so that no job starts that has run since the backup, until the nodes have told what they know.
"""

import argparse
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from eaas.errors import EaasError
from eaas.exit_codes import DONE, code_of
from eaas.ids import new_uid
from eaas.log_lines import begin_log
from eaas.paths import paths_from, whole_path
from eaas.program import say_unwritten, say_why
from eaas.settings.command_line import TYPED_AS
from eaas.stdout import say, written
from eaas.units import utc_text
from eaas_daemon.home import prepare_home
from eaas_daemon.store import rows
from eaas_daemon.store.database import take_lock
from eaas_daemon.store.failures import NewerSchema
from eaas_daemon.store.migrations import all_steps, copy_to, migrate, schema_version
from eaas_daemon.store.transactions import begin_life, read_all

NUMBERS_JUMP: Final = 10_000
BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""The files of one database: with the last one an interrupted restore would undo the next."""


class NotRestored(EaasError):
    """The backup is none, or can't be put in place; nothing was changed."""

    code = "not_restored"


class Present(msgspec.Struct, frozen=True, kw_only=True):
    """What the database that is replaced still tells."""

    epoch: int = 0
    next_number: int = 1
    credentials: tuple[tuple[str, str, bytes], ...] | None = None
    """Who may come in, which is newer than the backup knows; None where that can't be read."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What was done."""

    aside: Path | None
    """Where the replaced database is now; None: there was none."""
    open_jobs: int
    next_number: int
    epoch: int
    kept_tokens: bool
    paused: tuple[str, ...]
    """Queues that were paused by this."""


def restore(database: Path, backup: Path, now: float) -> Restored:
    """Put the backup in the database's place; raise ``EaasError`` with nothing changed.

    Refuses while a controller works there, and what is damaged, foreign or of a newer version.
    """
    fresh = database.with_name(f"{database.name}.restoring")
    if backup.parent.resolve() == fresh.parent.resolve() and backup.name.startswith(fresh.name):
        raise NotRestored(
            f"{backup} is named like what an interrupted restore leaves, and a restore deletes "
            "that; give it another name first"
        )
    lock = take_lock(database.with_suffix(".lock"))
    try:
        _remove(fresh)
        _copy_checked(backup, fresh)
        present = _present(database)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            migrate(connection, fresh, all_steps())
            _try_start(connection, backup, now)
            restored = _made_ready(connection, backup, present, now)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _give_to_owner_of(database.parent, fresh)
        aside = _put_aside(database, now)
        fresh.replace(database)
        _sync(database.parent)
    except sqlite3.Error as error:
        raise NotRestored(f"{backup} can't be restored ({error}); nothing was changed") from error
    except OSError as error:
        raise NotRestored(f"{error.filename or backup}: {error.strerror}") from error
    finally:
        _remove(fresh)
        os.close(lock)
    return replace(restored, aside=aside)


def _remove(made: Path) -> None:
    """Delete a copy that this or an interrupted restore made, whole or begun, and all beside it."""
    for left in made.parent.glob(f"{made.name}*"):
        left.unlink(missing_ok=True)


def _copy_checked(backup: Path, fresh: Path) -> None:
    """Copy the backup to ``fresh`` if it is a whole database of a controller."""
    if not backup.is_file():
        raise NotRestored(f"there is no backup at {backup}")
    uri = f"{backup.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if finding != "ok":
            words = " ".join(finding.split())
            raise NotRestored(f"{backup} is damaged ({words}); nothing was changed")
        version = schema_version(connection)
        if version > len(all_steps()):
            raise NewerSchema(
                f"{backup} has schema {version}, this version knows {len(all_steps())}: install "
                "the newer mini-eaas first; nothing was changed"
            )
        if not version or connection.execute("SELECT count(*) FROM meta").fetchone() != (1,):
            raise NotRestored(f"{backup} is no controller's database; nothing was changed")
        copy_to(connection, fresh)


def _try_start(connection: sqlite3.Connection, backup: Path, now: float) -> None:
    """Refuse what no controller could start from, though its pages are intact; change nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        begin_life(connection, new_uid(), now)
        read_all(connection, now)
    except (msgspec.MsgspecError, TypeError) as error:
        raise NotRestored(f"{backup} is damaged ({error}); nothing was changed") from error
    finally:
        connection.execute("ROLLBACK")


def _present(database: Path) -> Present:
    """Return what can still be read of the database that is there, damaged or not.

    A copy is read: SQLite mends what it opens, and a damaged one is to be kept as it is.
    """
    present, copy = Present(), database.with_name(f"{database.name}.looked-at")
    _remove(copy)
    try:
        for end in BESIDE:
            if Path(f"{database}{end}").exists():
                Path(f"{copy}{end}").touch(0o600)
                shutil.copyfile(f"{database}{end}", f"{copy}{end}")
        with closing(sqlite3.connect(f"{copy.as_uri()}?mode=rw", uri=True)) as connection:
            epoch, number = connection.execute("SELECT epoch, next_number FROM meta").fetchone()
            present = Present(epoch=epoch, next_number=number)
            (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if finding == "ok":
                listed = connection.execute("SELECT id, role, body FROM credentials").fetchall()
                present = replace(present, credentials=tuple(listed))
        if present.credentials is not None:
            with closing(sqlite3.connect(database)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, TypeError, ValueError):
        return present
    finally:
        _remove(copy)
    return present


def _made_ready(
    connection: sqlite3.Connection, backup: Path, present: Present, now: float
) -> Restored:
    """Raise what has to rise and pause what has to wait, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    epoch, number, seq = connection.execute("SELECT epoch, next_number, seq FROM meta").fetchone()
    # By the clock: two restores of one backup differ, even where nothing else is left to count on.
    epoch = max(epoch + 1, present.epoch + 1, int(now))
    number = max(number, present.next_number) + NUMBERS_JUMP
    words = f"restored from {backup}; every queue is paused until an admin resumes it"
    connection.execute(
        "UPDATE meta SET epoch = ?, next_number = ?, seq = ?", (epoch, number, seq + 1)
    )
    connection.execute(
        "INSERT INTO journal (seq, at, kind, text) VALUES (?, ?, 'controller.restored', ?)",
        (seq + 1, now, words),
    )
    if present.credentials is not None:
        connection.execute("DELETE FROM credentials")
        connection.executemany("INSERT INTO credentials VALUES (?, ?, ?)", present.credentials)
    paused = _pause_all(connection)
    (jobs,) = connection.execute("SELECT count(*) FROM jobs WHERE ended = 0").fetchone()
    connection.execute("COMMIT")
    return Restored(
        aside=None,
        open_jobs=jobs,
        next_number=number,
        epoch=epoch,
        kept_tokens=present.credentials is not None,
        paused=paused,
    )


def _pause_all(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Pause every queue; return those that were not paused before."""
    found = connection.execute("SELECT body FROM queues ORDER BY pool, name").fetchall()
    queues = [queue for (body,) in found if not (queue := rows.queue_from(body)).paused]
    for queue in queues:
        pool, name, body = rows.queue_row(replace(queue, paused=True))
        connection.execute(
            "UPDATE queues SET body = ? WHERE pool = ? AND name = ?", (body, pool, name)
        )
    return tuple(queue.ref for queue in queues)


def _put_aside(database: Path, now: float) -> Path | None:
    """Give the files of the replaced database other names; nothing of it is deleted."""
    if not any(Path(f"{database}{end}").exists() for end in BESIDE):
        return None
    stamp = utc_text(now)[:19].replace("-", "").replace(":", "")
    aside = database.with_name(f"{database.name}.before-restore-{stamp}")
    for end in BESIDE:
        old, new = Path(f"{database}{end}"), Path(f"{aside}{end}")
        if new.exists():
            raise NotRestored(f"{new} exists already; try again in a second")
        if old.exists() and end:
            old.rename(new)
        elif old.exists():
            _also_named(old, new)
    return aside


def _also_named(old: Path, new: Path) -> None:
    """Give the file a second name, so that at no moment there is no database."""
    try:
        new.hardlink_to(old)
    except OSError:  # not every file system can
        old.rename(new)


def _give_to_owner_of(folder: Path, file: Path) -> None:
    """Let the controller's own user have it, where root restores for another."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(file, owner.st_uid, owner.st_gid)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def told(restored: Restored, backup: Path) -> str:
    """Return what to tell the person who asked for it."""
    jobs = "1 job" if restored.open_jobs == 1 else f"{restored.open_jobs} jobs"
    lines = [
        f"restored {backup}: {jobs} that had not ended; the next job is number "
        f"{restored.next_number}",
    ]
    if restored.aside is not None:
        lines.append(f"what was there before is kept in {restored.aside}")
    lines.append(
        "tokens are those of before the restore: what was revoked stays revoked"
        if restored.kept_tokens
        else "tokens are those of the backup: whom was revoked since may come in again (token "
        "list), and a node whose token is newer has to join again (token create --role agent "
        "--node NODE)"
    )
    lines.append("start the controller; what runs on the nodes goes on and is taken up again")
    if restored.paused:
        lines.append(
            "every queue is paused, lest a job runs twice. When the nodes are back (node list) and "
            "the jobs look right (job list, events):"
        )
        lines += [f"  mini-eaas queue resume {ref}" for ref in restored.paused]
    return "\n".join(lines)


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Restore this installation's database; return the exit code."""
    return written(lambda: _run(argv, environ), say_unwritten)


def _run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(
        prog=os.environ.pop(TYPED_AS, "eaas_daemon.restore"),
        description="Lets the stopped controller go on from a backup. What runs on the nodes runs "
        "on and is taken up again; what is there now is kept beside it.",
    )
    parser.add_argument("backup", metavar="BACKUP", help="what controller backup wrote")
    backup = whole_path(parser.parse_args(argv).backup)
    begin_log("info", "text")
    paths = paths_from(environ)
    try:
        prepare_home(paths)
        say(told(restore(paths.database, backup, time.time()), backup))
    except EaasError as refusal:
        return say_why(refusal, code_of(refusal))
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
