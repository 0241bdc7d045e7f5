"""What lies in one folder by name, remembered for as long as nothing came or went.

A folder changes when it was last written to (mtime) with every name that comes or goes. So one with
hundreds of thousands of things that are not for it need not be listed at every look.
"""

from typing import Final

from eaas_daemon.intake import names
from eaas_daemon.intake.folder import MAX_SEEN, Folder, Identity
from eaas_daemon.intake.stillness import Sighting

MANY: Final = 1000
"""From so many strangers on it pays; a folder with fewer is listed at every look."""
SETTLED_S: Final = 3.0
"""A file system may tell its times in steps of two seconds: more could come in the same one."""
LIST_EVERY_S: Final = 60.0
"""All the same, for file servers that do not tell when a folder changes."""


class Listing:
    """Looks into one folder, again and again."""

    def __init__(self) -> None:
        self.strangers = 0
        """How many things lie there whose names say that they are not for the folder."""
        self._meant: list[str] = []
        self._stamp: tuple[Identity, int] | None = None
        self._since = 0.0
        self._listed_at = 0.0
        self._settled = False

    def look(self, folder: Folder, now: float) -> list[Sighting]:
        """Return what is in the folder and meant for it; ``now`` is monotonic."""
        stamp = (folder.identity, folder.changed_ns())
        if stamp != self._stamp:
            self._stamp, self._since, self._settled = stamp, now, False
        known = self._settled and self.strangers >= MANY
        if not known or now - self._listed_at >= LIST_EVERY_S:
            self._list(folder, now)
        return folder.sighted(self._meant)

    def _list(self, folder: Folder, now: float) -> None:
        found = folder.names()
        meant = [name for name in found if names.is_meant(name)]
        own = sum(name in names.OWN_FOLDERS for name in found)
        self.strangers = len(found) - len(meant) - own
        self._meant = meant[:MAX_SEEN]
        self._listed_at = now
        self._settled = now - self._since >= SETTLED_S
