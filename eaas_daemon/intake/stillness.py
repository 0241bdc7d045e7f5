"""When a file is whole: it stood still for a while, or it came by rename.

The system tells of renames into a folder of this machine. Where it tells nothing, times do: a
rename changes when the file itself was last changed (ctime) and not when its content was (mtime);
a write changes both to the same moment. So a file that has content and an older mtime than ctime
when it is first seen was made elsewhere. Everything else is watched, by the watcher's own clock:
the file server's may be wrong.
"""

from collections.abc import Collection, Iterable
from typing import Final, Literal

import msgspec

from eaas_daemon.intake.taken_file import Stamp

STILL_S: Final = 2.0
BRIEFLY_S: Final = 0.25
"""What came whole judging by its times stands still for this long: times can deceive."""
GIVE_UP_S: Final = 60.0
"""A file that is still written to so long after it was taken is refused."""


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """A file as one look at the folder found it."""

    name: str
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def came_whole(self) -> bool:
        """Tell whether it was made elsewhere, judging by a first look."""
        return self.size > 0 and self.ctime_ns > self.mtime_ns

    @property
    def stamp(self) -> Stamp:
        """Return what changes when somebody writes to it."""
        return self.size, self.mtime_ns


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may be taken."""

    file: Sighting
    stood_still: bool
    """It did so for ``STILL_S``; else it came by rename, as it seems."""


class _Watched(msgspec.Struct, frozen=True):
    file: Sighting
    since: float
    need_s: float


class Stillness:
    """Remembers how the files of one folder looked, and since when."""

    def __init__(self) -> None:
        self._seen: dict[str, _Watched] = {}

    def look(
        self, sightings: Iterable[Sighting], now: float, renamed: Collection[str] = ()
    ) -> list[Whole]:
        """Return the files that are whole, oldest content first; forget those that are gone.

        ``renamed`` are names of which the system told since the last look that they came by
        rename.
        """
        seen = {file.name: self._watched(file, now, renamed) for file in sightings}
        self._seen = seen
        ready = [each for each in seen.values() if now - each.since >= each.need_s]
        ready.sort(key=lambda each: (each.file.mtime_ns, each.file.name))
        return [Whole(file=each.file, stood_still=now - each.since >= STILL_S) for each in ready]

    def _watched(self, file: Sighting, now: float, renamed: Collection[str]) -> _Watched:
        before = self._seen.get(file.name)
        if file.name in renamed and file.size > 0:
            return _Watched(file, now, 0.0)
        if before is None or before.file.inode != file.inode:
            return _Watched(file, now, BRIEFLY_S if file.came_whole else STILL_S)
        if before.file == file:
            return before
        return _Watched(file, now, STILL_S)

    def next_look_in(self, now: float) -> float | None:
        """Return after how many seconds the next file will have stood still; None if none."""
        due = (each.since + each.need_s - now for each in self._seen.values())
        return min((seconds for seconds in due if seconds > 0), default=None)

    def forget(self, names: Iterable[str]) -> None:
        """Forget files that were taken."""
        for name in names:
            self._seen.pop(name, None)


Verdict = Literal["whole", "whole so far", "written to", "never whole"]


class _Settling(msgspec.Struct):
    stamp: Stamp
    since: float
    taken_at: float
    so_far: bool


class Settling:
    """Watches files that were taken: who has one open can go on writing to it."""

    def __init__(self) -> None:
        self._taken: dict[str, _Settling] = {}

    def took(self, whole: Whole, now: float) -> None:
        """Remember a file as it was when it was taken."""
        since = now - STILL_S if whole.stood_still else now
        self._taken[whole.file.name] = _Settling(whole.file.stamp, since, now, so_far=True)

    def judge(self, name: str, stamp: Stamp, now: float) -> Verdict:
        """Tell whether the file with this stamp is whole.

        ``whole so far`` is one that came by rename, as it seems: good if it is right, but if it
        is wrong perhaps only unfinished. A file that was taken before this start is whole.
        """
        known = self._taken.get(name)
        if known is None:
            return "whole"
        if stamp != known.stamp:
            known.stamp, known.since, known.so_far = stamp, now, False
        if now - known.since >= STILL_S:
            return "whole"
        if now - known.taken_at >= GIVE_UP_S:
            return "never whole"
        return "whole so far" if known.so_far else "written to"

    def next_look_in(self, now: float) -> float | None:
        """Return after how many seconds the next file will have stood still; None if none."""
        due = (each.since + STILL_S - now for each in self._taken.values())
        return min((seconds for seconds in due if seconds > 0), default=None)

    def keep_only(self, names: Collection[str]) -> None:
        """Forget all others: they were answered."""
        self._taken = {name: each for name, each in self._taken.items() if name in names}
