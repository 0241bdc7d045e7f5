"""Which names in a watched folder are meant for it, and what its own files are called."""

import re
from typing import Final

from eaas.folder_file import cancel_order

TAKEN: Final = ".taken"
"""Files between being seen and being answered lie here, out of everybody's reach."""
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
OWN_FOLDERS: Final = (TAKEN, ACCEPTED, REFUSED)

STATUS: Final = ".status.yaml"
ERROR: Final = ".error.txt"
LOG: Final = ".log"
AGAIN: Final = ".again.txt"

MAX_NAME_BYTES: Final = 200
"""A file system takes 255, and the job's number and an ending come to it."""

_ENDINGS: Final = (".yaml", ".yml")
_TEMPORARY: Final = (".", "#", "~")
"""How editors and copying programs begin the names of what is not ready."""
_ACCEPTED: Final = re.compile(r"([1-9][0-9]{0,17})-(.+)")


def is_meant(name: str) -> bool:
    """Tell whether a file of this name is a job file or an order, not an editor's own."""
    if name.startswith(_TEMPORARY) or name.endswith((STATUS, "~")):
        return False
    return name.lower().endswith(_ENDINGS) or cancel_order(name) is not None


def accepted_name(number: int, name: str) -> str:
    """Return what a job file is called once it is a job."""
    return f"{number}-{name}"


def job_of(name: str) -> int | None:
    """Return the first job of an accepted file, None for any other file."""
    match = _ACCEPTED.fullmatch(name)
    return None if match is None or not is_meant(match[2]) else int(match[1])
