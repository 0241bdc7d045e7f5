"""Taking what is whole out of a folder, so many files at a time. Blocks: runs in a thread."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec

from eaas.folder_file import cancel_order
from eaas.job_file import MAX_BYTES
from eaas_daemon.core.events import Caller
from eaas_daemon.intake.folder import Folder, Identity
from eaas_daemon.intake.listing import Listing
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.owners import UnknownOwner, callers_for
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.status import error_text, one_mistake
from eaas_daemon.intake.stillness import Settling, Sighting, Stillness, Whole
from eaas_daemon.intake.taken_file import TakenFile

FILES_A_PASS: Final = 200
BYTES_A_PASS: Final = 4 << 20
"""The worst legal files of so many bytes take half a minute to read."""

LOOK_EVERY_S: Final = 1.0
"""While there are whole files left from the look before."""

Claim = Callable[[Folder, float], None]
"""Raises ``FolderUnusable`` when the folder is somebody else's now; the time is monotonic."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are ready to be answered."""

    identity: Identity
    files: tuple[TakenFile, ...]
    callers: Mapping[int, Caller | UnknownOwner]
    """Whose word they are, by their owners."""
    refused: int
    """How many could not even be taken; they have their answer."""
    left: int
    """How many things lie in the folder that are not for it, or can't be taken."""
    open_to: str
    """Who may put files there."""
    private: bool
    """Nobody but the controller's user and root may."""
    more: bool
    """There are whole files for which there was no room."""
    look_again_in: float | None
    """Seconds until the next file may be whole."""


class Taker:
    """Looks into one folder, again and again."""

    def __init__(self, settings: FolderSettings, service_uid: int, claim: Claim) -> None:
        """Begin; every look begins with the claim."""
        self._settings = settings
        self._service_uid = service_uid
        self._claim = claim
        self._stillness = Stillness()
        self._settling = Settling()
        self._listing = Listing()
        self._stuck: dict[str, Sighting] = {}
        """What can't be taken, as it was when that was said."""
        self._renamed: set[str] = set()
        self._whole: deque[Whole] = deque()
        """Left over from the last look: a look at ten thousand files is not for each pass."""
        self._looked_at = 0.0

    def take(self, now: float, renamed: Collection[str], at: str) -> Taken:
        """Return what is ready; raises ``FolderUnusable`` and OSError.

        ``now`` is monotonic, ``at`` the same moment as people write it.
        """
        with opened(self._settings.path, self._service_uid) as folder:
            self._claim(folder, now)
            waiting = folder.taken()
            self._renamed.update(renamed)
            if not self._whole or now - self._looked_at >= LOOK_EVERY_S:
                self._look(folder, now)
            chosen = self._chosen(set(waiting))
            taken, refused = self._moved(folder, chosen, now, at)
            self._settling.keep_only({*waiting, *taken})
            files = self._ready(folder, (*waiting, *taken)[:FILES_A_PASS], now)
            return Taken(
                identity=folder.identity,
                files=files,
                callers=self._callers(folder, files),
                refused=refused,
                left=self._listing.strangers + len(self._stuck),
                open_to=folder.open_to,
                private=folder.private,
                more=bool(self._whole) or len(waiting) > FILES_A_PASS,
                look_again_in=self._look_again_in(now),
            )

    def _look(self, folder: Folder, now: float) -> None:
        """Find what may be taken; orders that a name gives come first, and at once."""
        found = self._listing.look(folder, now)
        self._stuck = {f.name: f for f in found if self._stuck.get(f.name) == f}
        orders = [Whole(file=f, stood_still=True) for f in found if _is_order(f)]
        others = (file for file in found if not _is_order(file))
        still = self._stillness.look(others, now, self._renamed)
        self._renamed.clear()
        self._whole = deque(w for w in orders + still if w.file.name not in self._stuck)
        self._looked_at = now

    def _chosen(self, waiting: Collection[str]) -> list[Whole]:
        """Return as many as there is room for in one pass; larger ones than allowed cost nothing.

        Over one of the same name that was not answered yet none is taken.
        """
        chosen: list[Whole] = []
        size = 0
        while self._whole and len(chosen) + len(waiting) < FILES_A_PASS:
            size += min(self._whole[0].file.size, MAX_BYTES)
            if size > BYTES_A_PASS:
                break
            whole = self._whole.popleft()
            if whole.file.name not in waiting:
                chosen.append(whole)
        return chosen

    def _moved(
        self, folder: Folder, chosen: Sequence[Whole], now: float, at: str
    ) -> tuple[list[str], int]:
        by_name = {whole.file.name: whole for whole in chosen}
        self._stillness.forget(by_name)
        taken, stuck = folder.take(by_name)
        for name in taken:
            self._settling.took(by_name[name], now)
        for name, why in stuck.items():
            self._stuck[name] = by_name[name].file
            folder.refuse_in_place(name, error_text(name, one_mistake(why), at))
        return taken, len(stuck)

    def _ready(self, folder: Folder, names: Sequence[str], now: float) -> tuple[TakenFile, ...]:
        judged = (self._judged(file, now) for file in folder.read(names))
        return tuple(file for file in judged if file is not None)

    def _judged(self, file: TakenFile, now: float) -> TakenFile | None:
        """Return the file if it may be answered; one that is no file needs no time for that."""
        if file.wrong is not None or cancel_order(file.name) is not None:
            return file
        match self._settling.judge(file.name, file.stamp, now):
            case "whole":
                return file
            case "whole so far":
                return msgspec.structs.replace(file, final=False)
            case "never whole":
                wrong = "somebody goes on writing to it: put it here when it is finished"
                return msgspec.structs.replace(file, wrong=wrong, data=b"")
            case _:
                return None

    def _callers(
        self, folder: Folder, files: Sequence[TakenFile]
    ) -> Mapping[int, Caller | UnknownOwner]:
        uids = (file.uid for file in files)
        user = self._settings.user
        return callers_for(uids, user, self._service_uid, private=folder.private)

    def _look_again_in(self, now: float) -> float | None:
        due = (self._stillness.next_look_in(now), self._settling.next_look_in(now))
        return min((each for each in due if each is not None), default=None)


def _is_order(file: Sighting) -> bool:
    return cancel_order(file.name) is not None
