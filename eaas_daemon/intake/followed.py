"""An accepted file whose jobs have not all ended, and how its last status tells of it."""

import re
from typing import Final

import msgspec

from eaas_daemon.intake import names
from eaas_daemon.intake.folder import Folder
from eaas_daemon.intake.submitting import Accepted

_JOB: Final = re.compile(r"^job: ([1-9][0-9]{0,17})$", re.MULTILINE)
_UID: Final = re.compile(r'^uid: "([0-9a-f-]{36})"$', re.MULTILINE)
_LOG: Final = re.compile(r"^log: true$", re.MULTILINE)


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """One accepted file."""

    name: str
    """Among the accepted ones."""
    numbers: tuple[int, ...]
    """Its jobs, in the file's order."""
    uids: tuple[str, ...] = ()
    """Which jobs these numbers meant when its status was written; empty where that isn't known.
    The folder may be older than the controller's database, which then counts from 1 anew."""
    log: bool
    """Their logs are to lie beside it."""


def followed(name: str, outcome: Accepted, *, log: bool) -> Followed:
    """Return the file that came under this name; ``log`` is what its folder says."""
    new_name = names.accepted_name(outcome.numbers[0], name)
    return Followed(name=new_name, numbers=outcome.numbers, log=outcome.log or log)


def unfinished(folder: Folder, *, log: bool) -> list[Followed]:
    """Return the accepted files of which something may still have to be told."""
    found: list[Followed] = []
    for name in folder.accepted():
        number = names.job_of(name)
        if number is None:
            continue
        head = folder.read_beside(name, names.STATUS, len(names.FINAL))
        if head != names.FINAL.encode():
            status = folder.read_beside(name, names.STATUS).decode(errors="replace")
            numbers = tuple(int(each) for each in _JOB.findall(status))
            uids = tuple(_UID.findall(status))
            asked = log or _LOG.search(status) is not None
            found.append(Followed(name=name, numbers=numbers or (number,), uids=uids, log=asked))
    return found
