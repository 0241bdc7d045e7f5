"""One watched folder at work: what was dropped is taken, read, carried out and answered.

A file moves through four places: the folder, ``.taken``, the engine's database (a key made of
folder, name and content), ``accepted`` or ``refused``. Whatever stops the controller in between,
the next pass finds the file in one of them and the key makes it the same job.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from eaas.errors import EaasError, FieldError
from eaas.folder_file import FolderFile, cancel_order
from eaas.units import utc_text
from eaas_daemon.clock import Clock
from eaas_daemon.intake import names
from eaas_daemon.intake.folder import Folder, TakenFile, opened
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.owners import caller_for
from eaas_daemon.intake.parser import Read, Unread
from eaas_daemon.intake.reading import FileReader
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.status import again_text, error_text, orders_text
from eaas_daemon.intake.stillness import STILL_S, Sighting, Stillness
from eaas_daemon.intake.submitting import (
    PASSING,
    Accepted,
    Obeyed,
    Outcome,
    Refused,
    Submitter,
    folder_key,
)

log = logging.getLogger(__name__)

FILES_A_PASS: Final = 200
RESCAN_S: Final = 5.0


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at a folder led to."""

    accepted: int = 0
    refused: int = 0
    look_again_s: float = RESCAN_S
    """When the next look is due, without anybody's hint."""


class Door:
    """One folder's way to the engine."""

    def __init__(
        self,
        settings: FolderSettings,
        *,
        submitter: Submitter,
        reader: FileReader,
        follower: Follower,
        service_uid: int,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings: Final = settings
        self._submitter = submitter
        self._reader = reader
        self._follower = follower
        self._service_uid = service_uid
        self._clock = clock
        self._monotonic = monotonic
        self._stillness = Stillness()
        self._early: dict[str, float] = {}
        """Files that came by rename, as it seems, and until when they are not refused."""

    async def look(self) -> Pass:
        """Take what is whole, a bounded number of files. Raises ``FolderUnusable``."""
        files = await asyncio.to_thread(self._take)
        ready = [file for file in files if not file.changing]
        outcomes = await self._outcomes(ready)
        answered = [(f, o) for f, o in zip(ready, outcomes, strict=True) if o is not None]
        await self._answer(answered)
        return self._summary(len(files), [outcome for _, outcome in answered])

    def _summary(self, seen: int, outcomes: Sequence[Outcome]) -> Pass:
        refused = sum(isinstance(outcome, Refused) for outcome in outcomes)
        now = self._monotonic()
        due = [at - now for at in (self._stillness.next_look_at, *self._early.values()) if at]
        more = 0.0 if seen == FILES_A_PASS and outcomes else RESCAN_S
        return Pass(
            accepted=len(outcomes) - refused,
            refused=refused,
            look_again_s=max(0.0, min((*due, more))),
        )

    # --- take

    def _take(self) -> list[TakenFile]:
        now = self._monotonic()
        with opened(self.settings.path, self._service_uid) as folder:
            waiting = folder.taken()
            found = folder.look()
            orders = [file for file in found if cancel_order(file.name) is not None]
            whole = self._stillness.look((file for file in found if file not in orders), now)
            wanted = [file for file in (*orders, *whole) if file.name not in waiting]
            room = max(0, FILES_A_PASS - len(waiting))
            taken = folder.take([file.name for file in wanted[:room]])
            self._remember_early(wanted[:room], now)
            return [folder.read(name) for name in (*waiting, *taken)[:FILES_A_PASS]]

    def _remember_early(self, taken: Sequence[Sighting], now: float) -> None:
        self._stillness.forget(file.name for file in taken)
        for file in taken:
            if file.came_whole:
                self._early[file.name] = now + STILL_S

    # --- carry out

    async def _outcomes(self, files: Sequence[TakenFile]) -> list[Outcome | None]:
        """Return what became of each file; None for those that have to come again."""
        readable = [f for f in files if f.wrong is None and cancel_order(f.name) is None]
        unread = [Unread(name=file.name, data=file.data) for file in readable]
        read = await self._reader.read(unread, self.settings.defaults) if unread else []
        contents = dict(zip((file.name for file in readable), read, strict=True))
        return await asyncio.gather(
            *(self._outcome(file, contents.get(file.name)) for file in files)
        )

    async def _outcome(self, file: TakenFile, read: Read | None) -> Outcome | None:
        outcome = await self._judged(file, read)
        until = self._early.get(file.name)
        if isinstance(outcome, Refused) and until is not None and self._monotonic() < until:
            return None  # perhaps it did not come by rename and its writer is still at it
        if outcome is not None:
            self._early.pop(file.name, None)
        return outcome

    async def _judged(self, file: TakenFile, read: Read | None) -> Outcome | None:
        if file.wrong is not None:
            return _refused(f"{file.name}: {file.wrong}")
        order = cancel_order(file.name)
        content = FolderFile(orders=(order,)) if order is not None else None
        if read is not None:
            content = read.content
        if content is None:
            return Refused(errors=read.errors if read is not None else ())
        try:
            caller = caller_for(file.uid, self.settings.user, self._service_uid)
            key = folder_key(self.settings.path, file.name, file.data)
            return await self._submitter.carry_out(content, caller, key)
        except PASSING as failure:
            log.warning("%s waits: %s", self.settings.path / file.name, failure)
            return None
        except EaasError as refusal:
            return _refused(refusal.sentence)

    # --- answer

    async def _answer(self, answered: Sequence[tuple[TakenFile, Outcome]]) -> None:
        """Put the files where they belong; one that can't be moved now comes again."""
        accepted = {f.name: o for f, o in answered if isinstance(o, Accepted)}
        statuses = await self._follower.first_statuses(self.settings, accepted)
        moved = await asyncio.to_thread(self._move, answered, statuses)
        for name, outcome in accepted.items():
            if name in moved:
                self._follower.follow(self.settings, name, outcome)

    def _move(
        self, answered: Sequence[tuple[TakenFile, Outcome]], statuses: dict[str, str]
    ) -> set[str]:
        moved: set[str] = set()
        with opened(self.settings.path, self._service_uid) as folder:
            for file, outcome in answered:
                try:
                    self._settle(folder, file.name, outcome, statuses.get(file.name, ""))
                    moved.add(file.name)
                except OSError as error:
                    log.warning("%s stays: %s", self.settings.path / file.name, error.strerror)
        return moved

    def _settle(self, folder: Folder, name: str, outcome: Outcome, status: str) -> None:
        at = utc_text(self._clock.now())
        match outcome:
            case Refused(errors=errors):
                folder.refuse(name, error_text(name, errors, at))
            case Obeyed(done=done):
                folder.accept(name, name, orders_text(done))
            case Accepted(numbers=numbers, again=again):
                new_name = names.accepted_name(numbers[0], name)
                seen_before = again and folder.has_accepted(new_name)
                folder.accept(name, new_name, status)
                if seen_before:
                    folder.write_beside(new_name, names.AGAIN, again_text(numbers, at))


def _refused(message: str) -> Refused:
    return Refused(errors=(FieldError(field="", message=message),))
