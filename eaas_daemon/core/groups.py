"""Jobs that belong together under one number, each with an index: the tasks of an array."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from eaas.ids import JobNumber, JobUid

NOBODY: Final[Mapping[int, JobUid]] = MappingProxyType({})


class Groups:
    """Which jobs in memory belong to which group. Knows nothing of them but number and index."""

    def __init__(self) -> None:
        self._members: dict[JobNumber, dict[int, JobUid]] = {}

    def add(self, number: JobNumber, index: int, uid: JobUid) -> None:
        """Let the job be in the group, at that index."""
        self._members.setdefault(number, {})[index] = uid

    def remove(self, number: JobNumber, index: int, uid: JobUid) -> None:
        """Take the job out of the group, unless another has its place by now."""
        members = self._members.get(number, {})
        if members.get(index) == uid:
            del members[index]
            if not members:
                del self._members[number]

    def of(self, number: int) -> Mapping[int, JobUid]:
        """Return the group's jobs by their index, in no order; none for a group that is not there.

        What has ended is not in memory for long and then not in here.
        """
        return self._members.get(JobNumber(number), NOBODY)

    def still(self) -> "Groups":
        """Return who belongs together now, for somebody who looks while this one goes on."""
        twin = Groups()
        twin._members = {number: dict(members) for number, members in self._members.items()}
        return twin
