"""How people name a job: ``42``, or as a task of an array ``42[7]``, or several, ``42[0-3]``."""

import re
from typing import Final

import msgspec

from eaas.field_checks import Wrong
from eaas.job_array import JobArray
from eaas.job_values import Array

_REF: Final = re.compile(r"([0-9]{1,18})(?:\[([0-9,:-]{1,200})\])?")


class JobRef(msgspec.Struct, frozen=True):
    """What somebody wrote for one job or several."""

    number: int
    indices: JobArray | None = None
    """Which tasks of the array of that number; None where the number stands alone."""

    @property
    def index(self) -> int | None:
        """Return the index of the one task that is named, if it is one."""
        found = self.indices
        return next(iter(found)) if found is not None and len(found) == 1 else None

    def __str__(self) -> str:
        return f"{self.number}" if self.indices is None else f"{self.number}[{self.indices.text}]"


def task_ref(number: int, index: int | None) -> str:
    """Return how one job is written: the number alone, or the array's with the index."""
    return str(number) if index is None else f"{number}[{index}]"


def job_ref(text: str) -> JobRef | None:
    """Return what the text names; None if it names no job."""
    found = _REF.fullmatch(text)
    if found is None:
        return None
    if found[2] is None:
        return JobRef(int(found[1]))
    try:
        return JobRef(int(found[1]), Array().read(found[2]))
    except Wrong:
        return None
