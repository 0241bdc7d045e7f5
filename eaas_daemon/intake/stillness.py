"""When a file is whole: it stood still for a while, or it came by rename.

A rename into the folder changes when the file itself was last changed (ctime) and not when its
content was (mtime); a write changes both to the same moment. So a file that has content and an
older mtime than ctime when it is first seen was made elsewhere. Everything else is watched, by
the watcher's own clock: the file server's may be wrong.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

STILL_S: Final = 2.0


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


class Stillness:
    """Remembers how files looked, and since when."""

    def __init__(self, still_s: float = STILL_S) -> None:
        self._still_s = still_s
        self._seen: dict[str, tuple[Sighting, float]] = {}

    def look(self, sightings: Iterable[Sighting], now: float) -> list[Sighting]:
        """Return the files that are whole, oldest content first; forget those that are gone."""
        seen: dict[str, tuple[Sighting, float]] = {}
        whole: list[Sighting] = []
        for sighting in sightings:
            before = self._seen.get(sighting.name)
            if before is None and sighting.came_whole:
                whole.append(sighting)
                continue
            since = before[1] if before is not None and before[0] == sighting else now
            seen[sighting.name] = sighting, since
            if now - since >= self._still_s:
                whole.append(sighting)
        self._seen = seen
        return sorted(whole, key=lambda file: (file.mtime_ns, file.name))

    @property
    def next_look_at(self) -> float | None:
        """Return when the first of those that still have to stand will have; None if none."""
        return min((since + self._still_s for _, since in self._seen.values()), default=None)

    def forget(self, names: Iterable[str]) -> None:
        """Forget files that were taken."""
        for name in names:
            self._seen.pop(name, None)
