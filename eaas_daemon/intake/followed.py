"""An accepted file whose jobs have not all ended, and how its last status tells of it."""

import re
from typing import Final

import msgspec

from eaas_daemon.intake import names
from eaas_daemon.intake.folder import Folder
from eaas_daemon.intake.submitting import Accepted

_JOB: Final = re.compile(r"^job: ([1-9][0-9]{0,17})$", re.MULTILINE)
_UID: Final = re.compile(r'^uid: "([0-9a-f-]{36})"$', re.MULTILINE)
_LOG: Final = re.compile(r"^log: (true|false)$", re.MULTILINE)
_BETWEEN: Final = re.compile(r"^---\n", re.MULTILINE)


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """One accepted file."""

    name: str
    """Among the accepted ones."""
    numbers: tuple[int, ...]
    """Its jobs, in the file's order."""
    uids: tuple[str, ...] = ()
    """Which jobs these numbers meant when its status was written; empty where that isn't known.
    The folder may be older than the controller's database, which then counts from 1 anew."""
    logs: frozenset[int] = frozenset()
    """Those of its jobs whose logs are to lie beside it."""
    told: frozenset[int] = frozenset()
    """Those that were final already when its status was read: their logs lie there."""


def followed(name: str, outcome: Accepted, *, log: bool) -> Followed:
    """Return the file that came under this name; ``log`` holds for jobs that say nothing of it."""
    numbers = outcome.numbers
    own = dict(zip(numbers, outcome.logs, strict=False))
    logs = {n for n in numbers if (log if own.get(n) is None else own[n])}
    new_name = names.accepted_name(numbers[0], name)
    return Followed(name=new_name, numbers=numbers, logs=frozenset(logs))


def unfinished(folder: Folder, *, log: bool) -> list[Followed]:
    """Return the accepted files of which something may still have to be told.

    ``log`` holds for those whose status is lost: it tells of each job whether its log is wanted.
    """
    found: list[Followed] = []
    for name in folder.accepted():
        number = names.job_of(name)
        if number is None:
            continue
        status = folder.read_beside(name, names.STATUS)
        if not names.tells_all_final(status):
            found.append(_told(name, number, status.decode(errors="replace"), log=log))
    return found


def _told(name: str, first: int, status: str, *, log: bool) -> Followed:
    numbers: list[int] = []
    logs, told = set[int](), set[int]()
    for document in _BETWEEN.split(status):
        if (match := _JOB.search(document)) is None:
            continue
        number, wanted = int(match[1]), _LOG.search(document)
        numbers.append(number)
        if wanted[1] == "true" if wanted is not None else log:
            logs.add(number)
        if document.startswith(names.FINAL):
            told.add(number)
    if not numbers:
        return Followed(name=name, numbers=(first,), logs=frozenset([first] if log else ()))
    return Followed(
        name=name,
        numbers=tuple(numbers),
        uids=tuple(_UID.findall(status)),
        logs=frozenset(logs),
        told=frozenset(told),
    )
