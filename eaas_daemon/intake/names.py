"""Which names in a watched folder are meant for it, and what its own files are called."""

import os
import re
from typing import Final

from eaas.folder_file import ENDINGS, cancel_order
from eaas.safe_text import safe_text

TAKEN: Final = ".taken"
"""Files between being seen and being answered lie here, out of everybody's reach."""
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
OWN_FOLDERS: Final = (TAKEN, ACCEPTED, REFUSED)

STATUS: Final = ".status.yaml"
ERROR: Final = ".error.txt"
LOG: Final = ".log"
AGAIN: Final = ".again.txt"
KEPT_LAST: Final = (STATUS, ERROR)

FINAL: Final = "final: true\n"
"""The first line of each document of a status that will not change any more."""

MAX_NAME_BYTES: Final = 200
"""A file system takes 255, and the job's number and an ending come to it."""

_TEMPORARY: Final = (".", "#", "~")
"""How editors and copying programs begin the names of what is not ready."""
_ACCEPTED: Final = re.compile(r"([1-9][0-9]{0,17})-(.+)")
_IS_FINAL: Final = re.compile(rb"^final: (true|false)$", re.MULTILINE)
_BESIDE: Final = re.compile(
    r"(.+?)(?:\.status\.yaml|\.again\.txt|\.error\.txt|(?:\.[0-9]+(?:\[[0-9]+\])?)?\.log)"
)


def is_meant(name: str) -> bool:
    """Tell whether a file of this name is a job file or an order, not an editor's own."""
    if name.startswith(_TEMPORARY) or name.endswith((STATUS, "~")):
        return False
    return name.lower().endswith(ENDINGS)


def shown_name(name: str) -> str:
    """Return the name as a person may be shown it, whatever bytes it is made of."""
    return safe_text(os.fsencode(name).decode("utf-8", "replace"))


def wrong_name(name: str) -> str | None:
    """Return what is wrong with the name of a file that is meant; None for most."""
    size = len(os.fsencode(name))
    if size > MAX_NAME_BYTES:
        return f"its name has {size} bytes, and {MAX_NAME_BYTES} is the most: give it a shorter one"
    if shown_name(name) != name:
        return "its name has characters that can't be shown, or is not UTF-8: rename it"
    return None


def accepted_name(number: int, name: str) -> str:
    """Return what a job file is called once it is a job."""
    return f"{number}-{name}"


def obeyed_name(name: str) -> str:
    """Return what a file of orders is called once they are carried out; never like a job's."""
    return name if cancel_order(name) is not None else f"orders-{name}"


def refused_name(name: str, inode: int) -> str:
    """Return what a refused file is called: its own name, or one near it that can be written."""
    if wrong_name(name) is None:
        return name
    ending = ".yaml"
    text = shown_name(name).removesuffix(ending).encode()[: MAX_NAME_BYTES - 40]
    return f"{inode}-{text.decode(errors='ignore')}{ending}"


def job_of(name: str) -> int | None:
    """Return the first job of an accepted file, None for any other file."""
    match = _ACCEPTED.fullmatch(name)
    return None if match is None or not is_meant(match[2]) else int(match[1])


def tells_all_final(status: bytes) -> bool:
    """Tell whether nothing that this status tells of will change any more."""
    if not status.startswith(FINAL.encode()):
        return False
    return all(match[1] == b"true" for match in _IS_FINAL.finditer(status))


def stands_beside(name: str) -> str:
    """Return the file that this one was written for, itself if it is none of ours."""
    match = _BESIDE.fullmatch(name)
    return name if match is None else match[1]
